// Hostile values in pages, the options of a page, and the shop of samples/pages in front of samples/orders,
// in a real browser.
// Usage: pages_test.mjs PLACES HOSTILE_SHOP SHOP SHOP_DIR ORDERS ORDERS_DIR CHROMIUM [SCREENSHOT_FOLDER]
import assert from 'node:assert/strict';
import test from 'node:test';

import './escaping_cases.mjs';
import './page_options_cases.mjs';
import './shop_cases.mjs';
import { complaints, shop } from './pages_setup.mjs';

// After all others, which have shown the pages.
test('pages: no page violates its content security policy', async () => {
  const response = await fetch(`${shop.url}/account`);
  const [, nonce] = /script-src 'self' 'nonce-([^']+)'/.exec(response.headers.get('content-security-policy'));
  assert.ok((await response.text()).includes(`nonce="${nonce}"`));
  assert.deepEqual(complaints, []);
});
