// The servers and the browser of pages_test.mjs, which start before its tests.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { collectComplaints, launchBrowser } from '../support/browser.mjs';
import { startOrders } from '../support/orders_sample.mjs';
import { startSample, unhurried } from '../support/sample_process.mjs';
import { startServer } from '../support/server_process.mjs';
import { hostileValues } from './hostile_values.mjs';

export const [
  placesProgram,
  hostileShopProgram,
  shopProgram,
  shopDir,
  ordersProgram,
  ordersDir,
  chromium,
  screenshots,
] = process.argv.slice(2);

export let places, guarded, hostileOrders, hostileShop, orders, shop, browser, context, page;
/** Of the pages that `page` has shown. */
export const complaints = [];

async function startPlaces(config) {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-places-'));
  mkdirSync(join(folder, 'config'));
  writeFileSync(join(folder, 'config/default.json'), JSON.stringify({ ...config, server: unhurried }));
  const server = await startServer(placesProgram, [], folder);
  return {
    url: server.url,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A request to the orders API by its administrator. */
export async function admin({ url }, method, path, body) {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: 'Bearer demo-admin-token', 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  return response.status === 204 ? undefined : (await response.json()).data;
}

/** The shop in front of an orders API. */
export const startShop = (program, url, local = {}) =>
  startSample(program, shopDir, {
    folders: ['config'],
    local: { app: { orders: { url, timeout: 600_000 } }, ...local },
  });

async function startHostileShop() {
  hostileOrders = await startOrders(ordersProgram, ordersDir);
  for (const id of [1, 2, 3]) await admin(hostileOrders, 'DELETE', `/admin/products/${id}`);
  for (const value of hostileValues) {
    await admin(hostileOrders, 'POST', '/admin/products', {
      name: value,
      category: 'tools',
      priceCents: 100,
      description: value,
    });
  }
  hostileShop = await startShop(hostileShopProgram, hostileOrders.url, {
    securityHeaders: { enabled: false },
  });
}

async function startGoodShop() {
  orders = await startOrders(ordersProgram, ordersDir);
  // A product that has no page of its own.
  await admin(orders, 'POST', '/admin/products', { name: 'Go', category: 'games', priceCents: 3000 });
  shop = await startShop(shopProgram, orders.url);
}

before(
  async () => {
    await Promise.all([
      // Without a security policy nothing but the escaping keeps values from running.
      startPlaces({ app: { values: [...hostileValues, 'harmless'] } }).then((server) => (places = server)),
      startPlaces({
        securityHeaders: { enabled: true, contentSecurityPolicy: "default-src 'none'" },
      }).then((server) => (guarded = server)),
      startHostileShop(),
      startGoodShop(),
      launchBrowser(chromium).then((started) => (browser = started)),
    ]);
    context = await browser.newContext();
    page = await context.newPage();
    collectComplaints(page, complaints);
  },
  { timeout: 1_800_000 },
);

after(async () => {
  await browser?.close();
  for (const server of [places, guarded, hostileShop, shop, hostileOrders, orders]) await server?.stop();
});

/** The values of a property of the elements that `selector` finds. */
export const properties = (watched, selector, name = 'textContent') =>
  watched.evaluate(
    ([each, property]) => [...document.querySelectorAll(each)].map((element) => element[property]),
    [selector, name],
  );
