// Hostile values in pages, and the shop of samples/pages, in a real browser.
// Usage: pages_test.mjs PLACES SHOP SAMPLE_DIR CHROMIUM [SCREENSHOT_FOLDER]
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { collectComplaints, launchBrowser } from '../support/browser.mjs';
import { startSample } from '../support/sample_process.mjs';
import { startServer } from '../support/server_process.mjs';
import { hostileValues } from './hostile_values.mjs';

const [placesProgram, shopProgram, sample, chromium, screenshots] = process.argv.slice(2);
const require = createRequire(new URL('../../../tools/npm/', import.meta.url));
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

let places, shop, browser, context, page;
const complaints = [];

before(async () => {
  places = await startServer(placesProgram, [], mkdtempSync(join(tmpdir(), 'fairway-places-')));
  shop = await startSample(shopProgram, sample, { folders: ['config'] });
  browser = await launchBrowser(chromium);
  context = await browser.newContext();
  page = await context.newPage();
  collectComplaints(page, complaints);
}, { timeout: 60_000 });

after(async () => {
  await browser?.close();
  await places?.stop();
  await shop?.stop();
});

/** A page that notes a call of `xss()`. */
async function watchedPage() {
  const watched = await context.newPage();
  await watched.addInitScript(() => { window.xss = () => { window.isBroken = true; }; });
  watched.on('dialog', (dialog) => dialog.dismiss());
  return watched;
}

/** The elements of a document in order, and how many attributes each has. */
const skeleton = (watched) => watched.evaluate(() =>
  [...document.querySelectorAll('*')].map((e) => `${e.localName}/${e.attributes.length}`).join(' '));

test('hostile values stay where they are', async () => {
  assert.equal(hostileValues.length, 100);
  assert.equal(new Set(hostileValues).size, 100);
  const watched = await watchedPage();
  // Nothing of it would be a proof if the values did not run where nothing is escaped.
  let running = 0;
  for (const value of hostileValues) {
    await watched.goto(places.url + '/?v=x');
    await watched.evaluate((html) => document.write(html), value);
    running += await watched.evaluate(() => Number(window.isBroken === true));
  }
  assert.ok(running > 20, `${running} values run`);
  const open = (value) => watched.goto(`${places.url}/?v=${encodeURIComponent(value)}`);
  await open('harmless');
  const expected = await skeleton(watched);
  for (const value of hostileValues) {
    await open(value);
    assert.equal(await skeleton(watched), expected, value);
    const seen = await watched.evaluate(() => ({
      text: document.getElementById('text').textContent,
      title: document.getElementById('double').title,
      single: document.getElementById('single').title,
      value: document.querySelector('input').value,
      list: document.querySelector('li').textContent,
      data: JSON.parse(document.getElementById('data').textContent),
      pageData: window.pageData.v,
    }));
    const shown = value.replaceAll('\r\n', '\n');
    assert.deepEqual(seen, {
      text: shown, title: shown, single: shown, value: value.replaceAll(/[\r\n]/g, ''), list: shown,
      data: { v: value, list: [value, value], object: { [value]: value } }, pageData: value,
    });
    // What a visitor may do: follow the links, send the form.
    await watched.evaluate(() => {
      document.addEventListener('click', (event) => {
        const link = event.target.closest('a');
        const url = link && (link.href.baseVal ?? link.href);
        if (!/^\s*(javascript|data|vbscript):/i.test(url ?? '')) event.preventDefault();
      });
      for (const link of document.querySelectorAll('a')) {
        link.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
      }
      for (const element of document.querySelectorAll('*')) {
        for (const type of ['mouseover', 'focus', 'toggle', 'error', 'load']) {
          element.dispatchEvent(new Event(type));
        }
      }
    });
    const urls = await watched.evaluate(() =>
      [...document.querySelectorAll('[href], [src], [action], [formaction]')].flatMap((e) =>
        ['href', 'src', 'action', 'formaction'].map((name) => e.getAttribute(name)).filter(Boolean)));
    for (const url of urls) {
      assert.match(new URL(url, places.url).protocol, /^(https?|mailto|tel):$/, `${value}: ${url}`);
    }
    assert.equal(await watched.evaluate(() => window.isBroken), undefined, value);
  }
  await watched.close();
}, { timeout: 300_000 });

test('hostile values do nothing in the shop', async () => {
  const watched = await watchedPage();
  for (const value of hostileValues) {
    const encoded = encodeURIComponent(value);
    for (const path of [`/products/${encoded}`, `/cart/add/${encoded}`, `/cart?ordered=${encoded}`]) {
      await watched.goto(shop.url + path).catch(() => {});
      assert.equal(await watched.evaluate(() => window.isBroken), undefined, `${path}`);
      assert.equal(await watched.locator('main script, main img, main iframe, main svg').count(), 0);
    }
  }
  await watched.close();
}, { timeout: 300_000 });

async function checkAccessibility() {
  // By the protocol of the browser, which the security policy of the page does not stop.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
  assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
}

async function visit(path, name) {
  await page.goto(shop.url + path);
  await checkAccessibility();
  if (!screenshots) return;
  for (const [device, width, height] of [['phone', 390, 844], ['desktop', 1280, 800]]) {
    await page.setViewportSize({ width, height });
    await page.screenshot({ path: join(screenshots, `${name}-${device}.png`) });
  }
}

test('the list is a rendering for everyone', async () => {
  await visit('/', 'list');
  assert.equal(await page.locator('.card').count(), 4);
  assert.equal(await page.title(), 'Fairway Shop');
  const responses = await Promise.all([...Array(20)].map(() => fetch(shop.url)));
  for (const response of responses) {
    assert.equal(response.status, 200);
    assert.match(response.headers.get('x-cache'), /^(HIT|STALE)$/);
  }
});

test('a product has no script, no data and no preload', async () => {
  await visit('/products/lamp', 'product');
  assert.equal(await page.locator('h1').innerText(), 'Desk lamp');
  assert.equal(await page.title(), 'Desk lamp – Fairway Shop');
  assert.equal(await page.locator('script, link[rel=modulepreload], #page-data').count(), 0);
  assert.equal((await fetch(`${shop.url}/products/none`)).status, 404);
});

test('the cart is filled, changed and ordered', async () => {
  await page.goto(`${shop.url}/products/lamp`);
  await page.getByRole('link', { name: 'Add to the cart' }).click();
  await checkAccessibility();
  await page.getByLabel('Quantity').fill('2');
  await page.getByRole('button', { name: 'Put into the cart' }).click();
  await page.waitForURL('**/cart');
  assert.match(await page.locator('main').innerText(), /2 × 49\.00 €\s+98\.00 €/);
  await visit('/cart/add/mug', 'add');
  await page.getByRole('button', { name: 'Put into the cart' }).click();
  await visit('/cart', 'cart');
  await page.getByRole('button', { name: 'Remove Stoneware mug' }).click();
  assert.equal(await page.locator('.line').count(), 1);
  await page.getByRole('button', { name: 'Order' }).click();
  await page.getByRole('status').waitFor();
  await visit('/account', 'account');
  assert.equal(await page.locator('#orders').innerText(), 'You have sent 1 order from this browser.');
});

test('a form without a token changes nothing', async () => {
  const response = await fetch(`${shop.url}/cart`, {
    method: 'POST', headers: { accept: 'text/html' }, body: new URLSearchParams({ id: 'lamp', quantity: '1' }),
  });
  assert.equal(response.status, 403);
  assert.match(await response.text(), /could not be shown \(status 403\)/);
});

test('the shop works without JavaScript', async () => {
  const plain = await browser.newContext({ javaScriptEnabled: false });
  const visitor = await plain.newPage();
  await visitor.goto(`${shop.url}/products/clock`);
  await visitor.getByRole('link', { name: 'Add to the cart' }).click();
  await visitor.getByRole('button', { name: 'Put into the cart' }).click();
  await visitor.getByRole('button', { name: 'Order' }).click();
  assert.match(await visitor.locator('main').innerText(), /Your order has been noted/);
  await plain.close();
});

test('client_only sends the data and no body', async () => {
  const response = await fetch(`${shop.url}/account`);
  const html = await response.text();
  assert.match(html, /<script type="application\/json" id="page-data">\{"orders":0,"products":0\}/);
  assert.doesNotMatch(html, /<h1>/);
});

test('errors have a page for browsers and JSON for others', async () => {
  await visit('/nothing/here', 'error');
  assert.equal(await page.locator('h1').innerText(), 'Not Found');
  assert.equal((await (await fetch(`${shop.url}/nothing`)).json()).code, 404);
});

test('pages obey their security policy', async () => {
  const response = await fetch(`${shop.url}/account`);
  const [, nonce] = /script-src 'self' 'nonce-([^']+)'/.exec(
    response.headers.get('content-security-policy'));
  assert.ok((await response.text()).includes(`nonce="${nonce}"`));
  assert.deepEqual(complaints, []);
});
