// Hostile values in pages, the options of a page, and the shop of samples/pages in front of samples/orders,
// in a real browser.
// Usage: pages_test.mjs PLACES HOSTILE_SHOP SHOP SHOP_DIR ORDERS ORDERS_DIR CHROMIUM [SCREENSHOT_FOLDER]
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { collectComplaints, launchBrowser } from '../support/browser.mjs';
import { startOrders } from '../support/orders_sample.mjs';
import { startSample, unhurried } from '../support/sample_process.mjs';
import { startServer } from '../support/server_process.mjs';
import { hostileValues } from './hostile_values.mjs';

const [placesProgram, hostileShopProgram, shopProgram, shopDir, ordersProgram, ordersDir, chromium, screenshots] =
  process.argv.slice(2);
const require = createRequire(new URL('../../../tools/npm/', import.meta.url));
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

let places, guarded, hostileOrders, hostileShop, orders, shop, browser, context, page;
const complaints = [];

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
async function admin({ url }, method, path, body) {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: 'Bearer demo-admin-token', 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  assert.ok(response.ok, `${method} ${path}: ${response.status}`);
  return response.status === 204 ? undefined : (await response.json()).data;
}

/** The shop in front of an orders API. */
const startShop = (program, url, local = {}) =>
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

/** A page that notes a call of `xss()`. */
async function watchedPage() {
  const watched = await context.newPage();
  await watched.addInitScript(() => {
    window.xss = () => {
      window.isBroken = true;
    };
  });
  watched.on('dialog', (dialog) => dialog.dismiss());
  return watched;
}

/**
 * Loads pages into frames of the page that is open, all at the same time, because opening them one after
 * the other takes several times as long. Each of `sources` has properties of a frame: `src` or `srcdoc`.
 */
async function openFrames(watched, sources) {
  await watched.evaluate(
    (all) =>
      Promise.all(
        all.map(
          (properties) =>
            new Promise((resolve) => {
              document.body.append(Object.assign(document.createElement('iframe'), { ...properties, onload: resolve }));
            }),
        ),
      ),
    sources,
  );
  return watched.mainFrame().childFrames().slice(-sources.length);
}

/** Calls `check(frame, value, index)` for all frames, which show hostile values, at the same time. */
const checkFrames = (frames, check) => {
  assert.equal(frames.length, hostileValues.length);
  return Promise.all(frames.map((frame, i) => check(frame, hostileValues[i], i)));
};

/** The elements in each of those that `selector` finds, in order, and how many attributes each has. */
const skeletons = (watched, selector) =>
  watched.evaluate(
    (each) =>
      [...document.querySelectorAll(each)].map((root) =>
        [root, ...root.querySelectorAll('*')].map((e) => `${e.localName}/${e.attributes.length}`).join(' '),
      ),
    selector,
  );

/** The values of a property of the elements that `selector` finds. */
const properties = (watched, selector, name = 'textContent') =>
  watched.evaluate(
    ([each, property]) => [...document.querySelectorAll(each)].map((element) => element[property]),
    [selector, name],
  );

/** All elements that `selector` finds are alike. Returns how many there are. */
async function countOfAlike(watched, selector) {
  const found = await skeletons(watched, selector);
  assert.deepEqual([...new Set(found)], found.slice(0, 1), selector);
  return found.length;
}

/** Nothing has run, and nothing runs when a visitor follows the links and uses the page. */
async function checkHarmless(watched, value) {
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
  const { urls, isBroken } = await watched.evaluate(() => ({
    urls: [...document.querySelectorAll('[href], [src], [action], [formaction]')].flatMap((e) =>
      ['href', 'src', 'action', 'formaction'].map((name) => e.getAttribute(name)).filter(Boolean),
    ),
    isBroken: window.isBroken,
  }));
  for (const url of urls) {
    assert.match(new URL(url, places.url).protocol, /^(https?|mailto|tel):$/, `${value}: ${url}`);
  }
  assert.equal(isBroken, undefined, value);
}

test('escaping: hostile values are shown as text', async () => {
  assert.equal(hostileValues.length, 100);
  assert.equal(new Set(hostileValues).size, 100);
  const watched = await watchedPage();
  // Nothing of it would be a proof if the values did not run where nothing is escaped.
  await watched.goto(places.url + '/?v=x');
  const plain = await openFrames(
    watched,
    hostileValues.map((value) => ({ srcdoc: value })),
  );
  const ran = await checkFrames(plain, (frame) => frame.evaluate(() => window.isBroken === true));
  const running = ran.filter(Boolean).length;
  assert.ok(running > 20, `${running} values run`);
  await watched.goto(places.url + '/?v=harmless');
  const expected = await skeletons(watched, 'html');
  const frames = await openFrames(
    watched,
    hostileValues.map((value) => ({ src: `${places.url}/?v=${encodeURIComponent(value)}` })),
  );
  await checkFrames(frames, async (frame, value) => {
    assert.deepEqual(await skeletons(frame, 'html'), expected, value);
    const seen = await frame.evaluate(() => ({
      text: document.getElementById('text').textContent,
      title: document.getElementById('double').title,
      single: document.getElementById('single').title,
      value: document.querySelector('input').value,
      list: document.querySelector('li').textContent,
      data: JSON.parse(document.getElementById('data').textContent),
      pageData: window.pageData.v,
      bodyClass: document.body.getAttribute('class'),
      bodyTitle: document.body.title,
      documentData: JSON.parse(document.getElementById('document-data').textContent),
      canonical: document.querySelector('link[rel=canonical]') !== null,
      metadata: document.querySelector('meta[name=x]').content,
      structured: JSON.parse(document.querySelector('[type="application/ld+json"]').textContent),
    }));
    assert.deepEqual(seen, {
      text: value,
      title: value,
      single: value,
      value: value.replaceAll(/[\r\n]/g, ''),
      list: value,
      data: { v: value, list: [value, value], object: { [value]: value } },
      pageData: value,
      bodyClass: value,
      bodyTitle: value,
      documentData: { v: value, seo: seen.documentData.seo },
      canonical: true,
      metadata: value,
      structured: { name: value },
    });
    await checkHarmless(frame, value);
  });
  await watched.close();
});

test('escaping: hostile values are shown as text, from every source of data', async () => {
  const watched = await watchedPage();
  const values = [...hostileValues, 'harmless'];
  const open = async (way) => {
    const response = await watched.goto(`${places.url}/many/${way}`);
    assert.equal(await countOfAlike(watched, '.item'), values.length, way);
    assert.deepEqual(await properties(watched, '.item #text'), values, way);
    assert.deepEqual(await properties(watched, '.item #double', 'title'), values, way);
    // A layout with blocks, in text and in an attribute.
    const heading = `${values.join(' ')} `;
    assert.deepEqual(await properties(watched, 'h1'), [heading]);
    assert.deepEqual(await properties(watched, 'article', 'title'), [heading]);
    const data = await watched.evaluate(() => window.pageData.values.map(({ v }) => v));
    assert.deepEqual(data, values, way);
    await checkHarmless(watched, way);
    return response.headers()['x-cache'];
  };
  for (const way of ['tree', 'struct', 'plain', 'declared']) await open(way);
  const cacheOf = async (way) => {
    const response = await fetch(`${places.url}/many/${way}`);
    await response.text();
    return response.headers.get('x-cache');
  };
  assert.equal(await cacheOf('cached'), 'MISS');
  assert.equal(await open('cached'), 'HIT');
  assert.equal(await open('renewed'), 'MISS');
  while ((await cacheOf('renewed')) !== 'STALE');
  while ((await cacheOf('renewed')) !== 'HIT');
  await open('renewed');

  const response = await watched.goto(`${places.url}/many/error`);
  assert.equal(response.status(), 409);
  const message = `${values.join(' ')} `;
  assert.deepEqual(await properties(watched, 'h1'), [message]);
  assert.deepEqual(await properties(watched, 'p', 'title'), [message]);
  assert.equal(await watched.locator('body > *').count(), 6);
  await checkHarmless(watched, 'error');
  await watched.close();
});

/** A visitor without a browser, who keeps the cookie of the shop and sends forms with their token. */
class Visitor {
  cookie = '';

  constructor(url) {
    this.url = url;
  }

  async open(path, init = {}) {
    const response = await fetch(this.url + path, {
      ...init,
      headers: { accept: 'text/html', cookie: this.cookie },
      redirect: 'manual',
    });
    const [cookie] = response.headers.getSetCookie();
    if (cookie) [this.cookie] = cookie.split(';');
    const html = await response.text();
    this.token = / name="_csrf" value="([^"]+)"/.exec(html)?.[1] ?? this.token;
    return { status: response.status, html, requestId: response.headers.get('x-request-id') };
  }

  send(path, form) {
    return this.open(path, { method: 'POST', body: new URLSearchParams({ _csrf: this.token, ...form }) });
  }

  /** Opens the form of a product, and puts one into the cart. */
  async put(id) {
    await this.open(`/cart/add/${id}`);
    assert.equal((await this.send('/cart', { id, quantity: 1 })).status, 302);
  }
}

const ada = { name: 'Ada', street: '12 St James Square', zip: 'SW1', city: 'London' };

/** Fills the form of the cart, and orders. */
async function order(visitor, values) {
  const labels = {
    name: 'Name',
    email: 'E-mail address',
    street: 'Street and number',
    zip: 'Postal code',
    city: 'City',
  };
  for (const [name, value] of Object.entries(values)) {
    await visitor.getByLabel(labels[name]).fill(value);
  }
  await visitor.getByRole('button', { name: 'Order', exact: true }).click();
}

test('escaping: hostile values are shown as text in every page of the shop', async () => {
  const watched = await watchedPage();
  const { url } = hostileShop;
  await watched.goto(url);
  assert.equal(await countOfAlike(watched, '.card'), 100);
  assert.deepEqual(await properties(watched, '.card h2'), hostileValues);
  assert.deepEqual(await properties(watched, '.card .picture span'), hostileValues);
  await checkHarmless(watched, 'list');

  const products = await openFrames(
    watched,
    hostileValues.map((value, i) => ({ src: `/products/${encodeURIComponent(`${i}${value}`)}` })),
  );
  const product = await skeletons(products[0], 'html');
  await checkFrames(products, async (frame, value, i) => {
    assert.deepEqual(await skeletons(frame, 'html'), product, value);
    assert.deepEqual(await properties(frame, '.picture, h1, h1 + p'), [value, value, value]);
    assert.deepEqual(await properties(frame, '.picture', 'className'), [`picture ${value}`]);
    const description = await properties(frame, 'meta[name=description]', 'content');
    assert.deepEqual(description, [value]);
    const [link] = await properties(frame, 'article .button', 'pathname');
    assert.equal(decodeURIComponent(link), `/cart/add/${i}${value}`);
    await checkHarmless(frame, value);
  });

  await watched.goto(`${url}/cart/add/1`); // begins the session
  const adds = await openFrames(
    watched,
    hostileValues.map((_, i) => ({ src: `/cart/add/${i + 1}` })),
  );
  const add = await skeletons(adds[0], 'html');
  await checkFrames(adds, async (frame, value) => {
    assert.deepEqual(await skeletons(frame, 'html'), add, value);
    assert.deepEqual(await properties(frame, 'h1, h1 + p'), [value, value]);
    await checkHarmless(frame, value);
  });

  const [token] = await properties(adds[0], '[name=_csrf]', 'value');
  const put = async (id) => {
    const response = await context.request.post(`${url}/cart`, {
      form: { _csrf: token, id, quantity: 9 },
      maxRedirects: 0,
    });
    assert.equal(response.status(), 302, id);
  };
  await put(1);
  await watched.goto(`${url}/cart`);
  // Each value as it is in all fields of the form; twice, it is too long for a postal code.
  const fields = ['name', 'email', 'street', 'zip', 'city'];
  const forms = hostileValues.map((value) => fields.map((name) => (name === 'zip' ? value + value : value)));
  await watched.evaluate(
    ([names, filled]) =>
      Promise.all(
        filled.map((values, i) => {
          const frame = Object.assign(document.createElement('iframe'), { name: `frame${i}` });
          const form = document.querySelector('form[action="/cart/order"]').cloneNode(true);
          form.target = frame.name;
          for (const [j, name] of names.entries()) {
            Object.assign(form.elements[name], { type: 'hidden', value: values[j] });
          }
          document.body.append(frame, form);
          return new Promise((resolve) => {
            frame.addEventListener('load', resolve);
            form.submit();
          });
        }),
      ),
    [fields, forms],
  );
  const rejections = watched.mainFrame().childFrames();
  const rejected = await skeletons(rejections[0], 'html');
  await checkFrames(rejections, async (frame, value, i) => {
    assert.deepEqual(await skeletons(frame, 'html'), rejected, value);
    assert.deepEqual(await properties(frame, '.field input', 'defaultValue'), forms[i]);
    assert.deepEqual(await properties(frame, '.field:has(.error) input', 'name'), ['email', 'zip']);
    await checkHarmless(frame, value);
  });

  for (let id = 2; id <= 100; ++id) await put(id);
  await watched.goto(`${url}/cart`);
  assert.equal(await countOfAlike(watched, '.line'), 100);
  assert.deepEqual(await properties(watched, '.line h2'), hostileValues);
  assert.deepEqual(await properties(watched, '.line', 'ariaLabel'), hostileValues);
  await checkHarmless(watched, 'cart');
  await watched.goto(`${url}/cart`);
  await order(watched, { ...ada, email: 'ada@example.com' });
  await watched.getByRole('status').waitFor();
  await watched.goto(`${url}/account`);
  assert.equal(await watched.locator('#orders .price').innerText(), '900.00 €');
  const items = hostileValues.map((value) => `9 × ${value}`);
  assert.deepEqual(await properties(watched, '#orders p:not(.price)'), [items.join(', ')]);
  await checkHarmless(watched, 'account');
  await watched.close();
});

test('escaping: hostile customer names are shown as text', async () => {
  const cookies = await Promise.all(
    hostileValues.map(async (name, i) => {
      const visitor = new Visitor(hostileShop.url);
      await visitor.put(1);
      const ordered = await visitor.send('/cart/order', { ...ada, name, email: `${i}@example.com` });
      assert.equal(ordered.status, 302, name);
      await visitor.put(1);
      return visitor.cookie.split('=');
    }),
  );
  const watched = await watchedPage();
  await watched.goto(hostileShop.url);
  const accounts = [];
  const carts = [];
  for (const [name, value] of cookies) {
    await context.addCookies([{ name, value, url: hostileShop.url }]);
    const [account, cart] = await openFrames(watched, [{ src: '/account' }, { src: '/cart' }]);
    accounts.push(account);
    carts.push(cart);
  }
  for (const [frames, selector, before] of [
    [accounts, 'h1', 'Hello, '],
    [carts, '.order strong', ''],
  ]) {
    const expected = await skeletons(frames[0], 'html');
    await checkFrames(frames, async (frame, value) => {
      assert.deepEqual(await skeletons(frame, 'html'), expected, value);
      assert.deepEqual(await properties(frame, selector), [before + value]);
      await checkHarmless(frame, value);
    });
  }
  await watched.close();
});

test('pages: a script reads the data and the metadata of its page', async () => {
  await page.goto(`${places.url}/numbers`);
  // Members that `frontend.data` does not declare are not sent.
  assert.equal(await page.locator('#shown').innerText(), 'from {"n":1}');
  assert.doesNotMatch(await page.content(), /not declared/);
  assert.equal(await page.locator('h1').evaluate((h1) => getComputedStyle(h1).color), 'rgb(1, 2, 3)');
  assert.equal(await page.locator('link[rel=modulepreload]').count(), 1);
  assert.equal(await page.title(), 'Title of the call');
  const metadata = await page.evaluate(() =>
    Object.fromEntries([...document.querySelectorAll('meta[name]')].map(({ name, content }) => [name, content])),
  );
  assert.deepEqual(metadata, {
    description: 'Description of the route',
    robots: 'noindex',
    lang: 'en',
  });
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'en');
});

test('pages: without hydration a page has no script, data or preload', async () => {
  const requests = [];
  const visitor = await context.newPage();
  visitor.on('request', (request) => requests.push(request.resourceType()));
  await visitor.goto(`${places.url}/numbers/plain`);
  assert.equal(await visitor.locator('#shown').innerText(), 'by the server');
  assert.equal(await visitor.locator('#page-data, script[src], link[rel=modulepreload]').count(), 0);
  assert.deepEqual(requests, ['document', 'stylesheet']);
  await visitor.close();
});

test('pages: revalidate renders a page again after its interval', async () => {
  const rendering = async (path) => {
    const response = await page.goto(`${places.url}/numbers/${path}`);
    const shown = /from (.*)/.exec(await page.locator('#shown').innerText());
    return { ...JSON.parse(shown[1]), cache: response.headers()['x-cache'] };
  };
  const kept = await rendering('kept');
  for (let i = 0; i < 3; ++i) assert.deepEqual(await rendering('kept'), { ...kept, cache: 'HIT' });
  // For each rendering that is shown, the next one has begun an interval later.
  const first = await rendering('renewed');
  let next = first;
  let staleCount = 0;
  while (next.n === first.n) {
    next = await rendering('renewed');
    if (next.cache === 'STALE') ++staleCount;
  }
  assert.equal(next.n, first.n + 1);
  assert.ok(next.at - first.at >= 1000, `${next.at - first.at} ms`);
  assert.ok(staleCount > 0);
});

test('pages: a nonce policy allows only the scripts of the page', async () => {
  const visitor = await context.newPage();
  const nonces = new Set();
  for (const path of ['', '/kept', '/kept', '/fixed/1', '/fixed/2', '/fixed/2']) {
    const response = await visitor.goto(`${guarded.url}/numbers${path}`);
    const policy = response.headers()['content-security-policy'];
    const [, nonce] = /script-src 'nonce-([^']+)'/.exec(policy);
    assert.equal(policy, `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'`);
    nonces.add(nonce);
    const seen = await visitor.evaluate(() => ({
      nonces: [...document.querySelectorAll('script[nonce]')].map((script) => script.nonce),
      shown: document.getElementById('shown').textContent.startsWith('from {'),
      color: getComputedStyle(document.querySelector('h1')).color,
      ofDocument: window.isDocumentScriptRun,
      inline: window.isInlineScriptRun,
    }));
    assert.deepEqual(
      seen,
      {
        nonces: [nonce, nonce],
        shown: true,
        color: 'rgb(1, 2, 3)',
        ofDocument: true,
        inline: undefined,
      },
      path,
    );
  }
  assert.equal(nonces.size, 6);
  await visitor.close();
  // Without the policy, the inline script is run.
  await page.goto(`${places.url}/numbers`);
  assert.equal(await page.evaluate(() => window.isInlineScriptRun), true);
});

test('pages: a missing script or style sheet is detected by this test', async () => {
  const found = [];
  const broken = await context.newPage();
  collectComplaints(broken, found);
  await broken.goto(`${places.url}/numbers/plain`);
  await broken.evaluate(() =>
    Promise.all(
      [
        Object.assign(document.createElement('script'), { src: '/none.js' }),
        Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '/none.css' }),
      ].map(
        (element) =>
          new Promise((resolve) => {
            element.addEventListener('error', resolve);
            document.head.append(element);
          }),
      ),
    ),
  );
  assert.deepEqual(found.sort(), [
    `404 for the script ${places.url}/none.js`,
    `404 for the stylesheet ${places.url}/none.css`,
  ]);
  await broken.close();
});

async function checkAccessibility() {
  // By the protocol of the browser, which the security policy of the page does not stop.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
  assert.deepEqual(
    serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    [],
  );
}

const devices = [
  ['desktop', { width: 1280, height: 800 }],
  ['phone', { width: 390, height: 844 }],
];

/** Checks the page that is shown, on a desktop with light colors, and on a phone with dark ones. */
async function checkPage(name) {
  for (const [i, [device, size]] of devices.entries()) {
    await page.setViewportSize(size);
    for (const [j, colorScheme] of ['light', 'dark'].entries()) {
      if (i !== j && !screenshots) continue;
      await page.emulateMedia({ colorScheme });
      if (i === j) await checkAccessibility();
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.equal(overflow, 0, `${name} is wider than a ${device}`);
      if (screenshots) {
        const file = `${name}-${device}-${colorScheme}.png`;
        await page.screenshot({ path: join(screenshots, file), fullPage: true });
      }
    }
  }
}

async function visit(path, name) {
  const response = await page.goto(shop.url + path);
  await checkPage(name);
  return response;
}

test('shop: the list of products is one stored page', async () => {
  await visit('/', 'list');
  assert.deepEqual(await page.locator('.card .price').allInnerTexts(), ['42.00 €', '59.00 €', '9.50 €', '30.00 €']);
  assert.equal(await page.title(), 'Fairway Shop');
  const responses = await Promise.all([...Array(20)].map(() => fetch(shop.url)));
  for (const response of responses) {
    assert.equal(response.status, 200);
    assert.match(response.headers.get('x-cache'), /^(HIT|STALE)$/);
  }
});

test('shop: product pages are static, and a product without a static page is sold too', async () => {
  await visit('/products/1', 'product');
  assert.equal(await page.locator('h1').innerText(), 'The Compiler Book');
  assert.equal(await page.title(), 'The Compiler Book – Fairway Shop');
  assert.equal((await fetch(`${shop.url}/products/4`)).status, 404);
  await page.goto(shop.url);
  await page.getByRole('link', { name: 'Go', exact: true }).click();
  assert.equal(await page.locator('h1').innerText(), 'Go');
  assert.equal(await page.locator('.price').innerText(), '30.00 €');
  assert.equal((await fetch(`${shop.url}/cart/add/5`)).status, 404);
});

test('shop: the cart is filled, changed and ordered', async () => {
  await visit('/cart', 'cart-empty');
  await page.goto(`${shop.url}/products/1`);
  await page.getByRole('link', { name: 'Add to the cart' }).click();
  await page.getByLabel('Quantity').fill('2');
  await page.getByRole('button', { name: 'Put into the cart' }).click();
  await page.waitForURL('**/cart');
  assert.match(await page.locator('main').innerText(), /2 × 42\.00 €\s+84\.00 €/);
  await visit('/cart/add/2', 'add');
  await page.getByRole('button', { name: 'Put into the cart' }).click();
  await visit('/cart', 'cart');
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Remove Wooden Chess Set' }).click()]);
  assert.equal(await page.locator('.line').count(), 1);

  const rejected = page.waitForResponse((response) => response.status() === 422);
  await order(page, { ...ada, email: 'ada@example.com', zip: '1' });
  await rejected;
  assert.equal(await page.getByRole('alert').innerText(), 'Nothing has been ordered yet. Please correct the form.');
  await page.waitForLoadState();
  assert.deepEqual(await properties(page, '.field input', 'value'), [
    'Ada',
    'ada@example.com',
    '12 St James Square',
    '1',
    'London',
  ]);
  assert.deepEqual(await page.locator('.error').allInnerTexts(), ['Postal code must be at least 3 characters long.']);
  await checkPage('cart-rejected');
  await order(page, { zip: ada.zip });
  assert.equal(await page.getByRole('status').innerText(), 'Thank you. Your order 1 has been placed: 84.00 €.');
  await checkPage('cart-ordered');

  // The customer of the session is known now.
  await page.goto(`${shop.url}/cart/add/3`);
  await page.getByRole('button', { name: 'Put into the cart' }).click();
  assert.equal(await page.locator('.order strong').innerText(), 'Ada');
  await checkPage('cart-known');
  await order(page, {});
  await page.getByRole('status').waitFor();
  await visit('/account', 'account');
  assert.equal(await page.locator('h1').innerText(), 'Hello, Ada');
  assert.deepEqual(await properties(page, '#orders li > *'), [
    'Order 2',
    '1 × Pocket Screwdriver',
    '9.50 €',
    'Order 1',
    '2 × The Compiler Book',
    '84.00 €',
  ]);
  assert.deepEqual(
    (await admin(orders, 'GET', '/orders')).map(({ customerId, totalCents }) => [customerId, totalCents]),
    [
      [1, 8400],
      [1, 950],
    ],
  );
});

test('shop: a product that is no longer sold is removed from the cart', async () => {
  for (const id of [1, 4]) {
    await page.goto(`${shop.url}/cart/add/${id}`);
    await page.getByRole('button', { name: 'Put into the cart' }).click();
    await page.waitForURL('**/cart');
  }
  await admin(orders, 'DELETE', '/admin/products/4');
  const rejected = page.waitForResponse((response) => response.status() === 409);
  await page.getByRole('button', { name: 'Order', exact: true }).click();
  await rejected;
  assert.equal(
    await page.getByRole('alert').innerText(),
    'Something is no longer for sale, and has been taken out of your cart.',
  );
  await page.waitForLoadState();
  assert.equal(await page.locator('.line').count(), 1);
  await page.goto(`${shop.url}/cart`);
  assert.equal(await page.getByRole('alert').count(), 0);
  assert.equal((await admin(orders, 'GET', '/orders')).length, 2);
});

test('shop: a form without a CSRF token is rejected', async () => {
  const response = await fetch(`${shop.url}/cart`, {
    method: 'POST',
    headers: { accept: 'text/html' },
    body: new URLSearchParams({ id: '1', quantity: '1' }),
  });
  assert.equal(response.status, 403);
  assert.match(await response.text(), /could not be shown \(status 403\)/);
});

test('shop: it works without JavaScript', async () => {
  const plain = await browser.newContext({ javaScriptEnabled: false });
  const visitor = await plain.newPage();
  await visitor.goto(`${shop.url}/products/3`);
  await visitor.getByRole('link', { name: 'Add to the cart' }).click();
  await visitor.getByRole('button', { name: 'Put into the cart' }).click();
  assert.ok(await visitor.locator('noscript').isHidden());
  await order(visitor, { ...ada, email: 'ada@example.com' });
  assert.equal(
    await visitor.locator('.error').innerText(),
    'E-mail address is registered already; please use another one.',
  );
  await order(visitor, { email: 'ada2@example.com' });
  await visitor.getByRole('status').waitFor();
  assert.match(await visitor.locator('main').innerText(), /Your order 3 has been placed: 9\.50 €/);
  await visitor.goto(`${shop.url}/account`);
  assert.ok(await visitor.locator('noscript').isVisible());
  await plain.close();
});

/** An orders API whose operations succeed, except those that have another response in `responses`. */
async function startFakeOrders(responses, requestIds) {
  const product = { id: 1, name: 'Tea', category: 'tools', priceCents: 100 };
  const customer = { id: 1, name: 'Ada', email: 'a@example.com', address: { street: 'A', city: 'B' } };
  const usual = {
    'GET /products': [200, [product]],
    'GET /products/1': [200, product],
    'POST /customers': [201, customer],
    'POST /orders': [201, { id: 7, customerId: 1, status: 'open', items: [], totalCents: 100 }],
  };
  const server = createServer((request, response) => {
    const operation = `${request.method} ${request.url.split('?')[0]}`;
    requestIds.push(request.headers['x-request-id']);
    const known = responses[operation] ?? usual[operation];
    if (known === 'none') return;
    const [status, data] = known;
    const body = status < 400 ? { data } : { code: data, message: 'no' };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('shop: visitors see an error page if the orders API fails', async () => {
  const responses = {};
  const requestIds = [];
  const api = await startFakeOrders(responses, requestIds);
  const front = await startShop(shopProgram, api.url);
  const impatient = await startShop(shopProgram, api.url, { app: { orders: { url: api.url, timeout: 1000 } } });
  try {
    const visitor = new Visitor(front.url);
    const expect = async (status, message, { status: actual, html }) => {
      assert.equal(actual, status);
      assert.equal(/<h1>(.*)<\/h1>/.exec(html)[1], message);
      assert.match(html, new RegExp(`could not be shown \\(status ${status}\\)`));
    };
    responses['GET /products/1'] = 'none';
    const slow = await new Visitor(impatient.url).open('/cart/add/1');
    await expect(504, 'The shop is too busy', slow);
    // The request may still be on its way to this process.
    while (requestIds.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual(requestIds, [slow.requestId]);
    responses['GET /products/1'] = [500, 500];
    await expect(502, 'Something is wrong in the shop', await visitor.open('/cart/add/1'));
    responses['GET /products/1'] = [200, { id: 'one' }];
    await expect(502, 'Something is wrong in the shop', await visitor.open('/cart/add/1'));
    delete responses['GET /products/1'];

    await visitor.put(1);
    assert.equal((await visitor.send('/cart', { id: 1, quantity: 10 })).status, 422);
    assert.equal((await visitor.send('/cart', { id: 1, quantity: 9 })).status, 302);
    assert.match((await visitor.open('/cart')).html, /<p>9 × 1\.00 €/);
    const { cookie } = visitor;
    responses['POST /orders'] = [500, 500];
    await expect(
      502,
      'Something is wrong in the shop',
      await visitor.send('/cart/order', { ...ada, email: 'a@example.com' }),
    );
    // The customer is registered, in a session with a new id, and the cart is still full.
    assert.notEqual(visitor.cookie, cookie);
    assert.match((await visitor.open('/cart')).html, /Ordering as <strong>Ada/);
    responses['POST /orders'] = [404, 'PRODUCT_NOT_FOUND'];
    await expect(
      409,
      'Something in your cart is no longer for sale. Nothing has been ordered.',
      await visitor.send('/cart/order', {}),
    );
    responses['POST /orders'] = [404, 'CUSTOMER_NOT_FOUND'];
    const unknown = await visitor.send('/cart/order', {});
    assert.equal(unknown.status, 409);
    assert.match(unknown.html, /do not know you any more.*autocomplete="address-line1"/s);
    delete responses['POST /orders'];
    assert.equal((await visitor.send('/cart/order', { ...ada, email: 'a@example.com' })).status, 302);
    assert.match((await visitor.open('/cart?ordered=1')).html, /Your order 7 has been placed/);
    await visitor.put(1);
    for (let i = 0; i < 20; ++i) {
      await visitor.send('/cart/order', {});
      await visitor.send('/cart', { id: 1, quantity: 1 });
    }
    assert.equal((await visitor.open('/account')).html.match(/"total"/g).length, 20);

    await api.stop();
    for (const path of ['/', '/cart/add/1']) {
      await expect(503, 'The shop is closed for a moment', await visitor.open(path));
    }
    assert.equal((await visitor.open('/products/1')).status, 200);
    await expect(503, 'The shop is closed for a moment', await visitor.open('/cart'));
    assert.equal((await visitor.send('/cart', { id: 1, quantity: 0 })).status, 302);
    assert.equal((await visitor.open('/cart')).status, 200);
  } finally {
    await impatient.stop();
    await front.stop();
    await api.stop();
  }
});

test('pages: client_only sends the data and an empty body', async () => {
  const response = await fetch(`${shop.url}/account`);
  const html = await response.text();
  assert.match(html, /<script type="application\/json" id="page-data">\{"name":"","orders":\[\],"productsInCart":0\}/);
  assert.doesNotMatch(html, /<h1>/);
});

test('pages: errors are a page for browsers and JSON for other clients', async () => {
  await visit('/nothing/here', 'error-404');
  assert.equal(await page.locator('h1').innerText(), 'Not Found');
  assert.equal((await (await fetch(`${shop.url}/nothing`)).json()).code, 404);
});

test('pages: no page violates its content security policy', async () => {
  const response = await fetch(`${shop.url}/account`);
  const [, nonce] = /script-src 'self' 'nonce-([^']+)'/.exec(response.headers.get('content-security-policy'));
  assert.ok((await response.text()).includes(`nonce="${nonce}"`));
  assert.deepEqual(complaints, []);
});
