// The documentation viewer of the orders sample in a real browser, behind a proxy that serves the
// application below a prefix. Usage: viewer_test.mjs ORDERS SAMPLE_DIR CHROMIUM [SCREENSHOT]
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';

import { launchBrowser } from '../support/browser.mjs';
import { startOrders } from '../support/orders_sample.mjs';
import { startPrefixProxy } from '../support/prefix_proxy.mjs';

const [orders, sample, chromium, screenshot] = process.argv.slice(2);

let server, proxy, browser, page;
const outside = [];
const complaints = [];

before(
  async () => {
    server = await startOrders(orders, sample, ['--config', 'development']);
    proxy = await startPrefixProxy('/shop', server.url);
    browser = await launchBrowser(chromium);
    page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
    const origin = `${proxy.url}/`;
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(origin) && !url.startsWith('data:')) outside.push(url);
    });
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${origin}docs`);
    await page.waitForSelector('.opblock');
  },
  { timeout: 1_800_000 },
);

after(async () => {
  await browser?.close();
  proxy?.close();
  await server?.stop();
});

test('viewer: every operation of the document is shown', async () => {
  const document = await page.evaluate(() => fetch('openapi.json').then((response) => response.json()));
  const count = Object.values(document.paths)
    .map((item) => Object.keys(item).length)
    .reduce((sum, length) => sum + length, 0);
  assert.equal(await page.locator('.opblock').count(), count);
  assert.match(await page.locator('.info .title').innerText(), new RegExp(document.info.title));
});

test('viewer: an operation is tried out and its response shown', async () => {
  const operation = page.locator('#operations-customers-createCustomer');
  await operation.locator('.opblock-summary-control').click();
  await operation.getByRole('button', { name: 'Try it out' }).click();
  await operation.locator('textarea.body-param__text').fill(
    JSON.stringify({
      name: 'Grace',
      email: 'grace@example.com',
      address: { street: 'Main 1', city: 'Arlington' },
    }),
  );
  await operation.getByRole('button', { name: 'Execute' }).click();
  const live = operation.locator('.live-responses-table');
  await live.waitFor();
  assert.equal((await live.locator('.response-col_status').nth(1).innerText()).trim().slice(0, 3), '201');
  const received = JSON.parse(await live.locator('.highlight-code code').first().innerText());
  assert.equal(received.code, 0);
  assert.equal(received.data.email, 'grace@example.com');
  assert.match(await operation.locator('.request-url').first().innerText(), /\/shop\/customers/);
  if (screenshot) await operation.screenshot({ path: `${screenshot}-operation.png` });
});

test('viewer: an operation with try-it-out disabled does not offer it', async () => {
  await page.route('**/openapi.json', async (route) => {
    const response = await route.fetch();
    const document = await response.json();
    document.paths['/products'].get['x-fw-docs-try-it-out'] = false;
    await route.fulfill({ response, json: document });
  });
  await page.reload();
  await page.waitForSelector('.opblock');
  const buttons = async (id) => {
    await page.locator(`#${id} .opblock-summary-control`).click();
    await page.locator(`#${id} .responses-wrapper`).waitFor();
    return page.locator(`#${id}`).getByRole('button', { name: 'Try it out' }).count();
  };
  assert.equal(await buttons('operations-products-listProducts'), 0);
  assert.equal(await buttons('operations-customers-listCustomers'), 1);
});

test('viewer: no request leaves the application, and the console has no errors', async () => {
  await page.unrouteAll();
  await page.reload();
  await page.waitForSelector('.opblock');
  if (screenshot) await page.screenshot({ path: `${screenshot}.png` });
  assert.deepEqual(outside, []);
  assert.deepEqual(complaints, []);
});
