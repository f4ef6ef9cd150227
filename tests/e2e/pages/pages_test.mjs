// Hostile values in pages, the options of a page, and the shop of samples/pages, in a real browser.
// Usage: pages_test.mjs PLACES HOSTILE_SHOP SHOP SAMPLE_DIR CHROMIUM [SCREENSHOT_FOLDER]
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { collectComplaints, launchBrowser } from '../support/browser.mjs';
import { startSample } from '../support/sample_process.mjs';
import { startServer } from '../support/server_process.mjs';
import { hostileValues } from './hostile_values.mjs';

const [placesProgram, hostileShopProgram, shopProgram, sample, chromium, screenshots] =
  process.argv.slice(2);
const require = createRequire(new URL('../../../tools/npm/', import.meta.url));
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

let places, guarded, hostileShop, shop, browser, context, page;
const complaints = [];

async function startPlaces(config) {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-places-'));
  mkdirSync(join(folder, 'config'));
  writeFileSync(join(folder, 'config/default.json'), JSON.stringify(config));
  const server = await startServer(placesProgram, [], folder);
  return {
    url: server.url,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

before(async () => {
  // Without a security policy nothing but the escaping keeps values from running.
  places = await startPlaces({ app: { values: [...hostileValues, 'harmless'] } });
  guarded = await startPlaces({
    securityHeaders: { enabled: true, contentSecurityPolicy: "default-src 'none'" },
  });
  hostileShop = await startSample(hostileShopProgram, sample, {
    folders: ['config'],
    local: { securityHeaders: { enabled: false } },
  });
  shop = await startSample(shopProgram, sample, { folders: ['config'] });
  browser = await launchBrowser(chromium);
  context = await browser.newContext();
  page = await context.newPage();
  collectComplaints(page, complaints);
}, { timeout: 60_000 });

after(async () => {
  await browser?.close();
  for (const server of [places, guarded, hostileShop, shop]) await server?.stop();
});

/** A page that notes a call of `xss()`. */
async function watchedPage() {
  const watched = await context.newPage();
  await watched.addInitScript(() => { window.xss = () => { window.isBroken = true; }; });
  watched.on('dialog', (dialog) => dialog.dismiss());
  return watched;
}

/** The elements in each of those that `selector` finds, in order, and how many attributes each has. */
const skeletons = (watched, selector) => watched.evaluate((each) =>
  [...document.querySelectorAll(each)].map((root) =>
    [root, ...root.querySelectorAll('*')].map((e) => `${e.localName}/${e.attributes.length}`).join(' ')),
  selector);

/** The values of a property of the elements that `selector` finds. */
const properties = (watched, selector, name = 'textContent') => watched.evaluate(
  ([each, property]) => [...document.querySelectorAll(each)].map((element) => element[property]),
  [selector, name]);

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
  const urls = await watched.evaluate(() =>
    [...document.querySelectorAll('[href], [src], [action], [formaction]')].flatMap((e) =>
      ['href', 'src', 'action', 'formaction'].map((name) => e.getAttribute(name)).filter(Boolean)));
  for (const url of urls) {
    assert.match(new URL(url, places.url).protocol, /^(https?|mailto|tel):$/, `${value}: ${url}`);
  }
  assert.equal(await watched.evaluate(() => window.isBroken), undefined, value);
}

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
  const expected = await skeletons(watched, 'html');
  for (const value of hostileValues) {
    await open(value);
    assert.deepEqual(await skeletons(watched, 'html'), expected, value);
    const seen = await watched.evaluate(() => ({
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
      text: value, title: value, single: value, value: value.replaceAll(/[\r\n]/g, ''), list: value,
      data: { v: value, list: [value, value], object: { [value]: value } }, pageData: value,
      bodyClass: value, bodyTitle: value,
      documentData: { v: value, seo: seen.documentData.seo },
      canonical: true, metadata: value, structured: { name: value },
    });
    await checkHarmless(watched, value);
  }
  await watched.close();
}, { timeout: 300_000 });

test('hostile values stay where they are, however they get into a page', async () => {
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
  for (const way of ['tree', 'struct', 'declared']) await open(way);
  assert.equal((await fetch(`${places.url}/many/cached`)).headers.get('x-cache'), 'MISS');
  assert.equal(await open('cached'), 'HIT');
  assert.equal(await open('renewed'), 'MISS');
  while ((await fetch(`${places.url}/many/renewed`)).headers.get('x-cache') !== 'STALE');
  while ((await fetch(`${places.url}/many/renewed`)).headers.get('x-cache') !== 'HIT');
  await open('renewed');

  const response = await watched.goto(`${places.url}/many/error`);
  assert.equal(response.status(), 409);
  const message = `${values.join(' ')} `;
  assert.deepEqual(await properties(watched, 'h1'), [message]);
  assert.deepEqual(await properties(watched, 'p', 'title'), [message]);
  assert.equal(await watched.locator('body > *').count(), 6);
  await checkHarmless(watched, 'error');
  await watched.close();
}, { timeout: 120_000 });

test('hostile values stay where they are in every page of the shop', async () => {
  const watched = await watchedPage();
  const { url } = hostileShop;
  const ids = hostileValues.map((value, i) => `${i}${value}`.slice(0, 40));
  await watched.goto(url);
  assert.equal(await countOfAlike(watched, '.card'), 100);
  assert.deepEqual(await properties(watched, '.card h2'), hostileValues);
  assert.deepEqual(await properties(watched, '.card .price'), hostileValues);
  await checkHarmless(watched, 'list');

  let product, add;
  for (const [i, value] of hostileValues.entries()) {
    await watched.goto(`${url}/products/${encodeURIComponent(ids[i])}`);
    product ??= await skeletons(watched, 'html');
    assert.deepEqual(await skeletons(watched, 'html'), product, value);
    assert.deepEqual(await properties(watched, 'h1, article p:not(:has(a))'), [value, value, value]);
    const description = await properties(watched, 'meta[name=description]', 'content');
    assert.deepEqual(description, [value]);
    await checkHarmless(watched, value);

    await watched.goto((await properties(watched, 'article .button', 'href'))[0]);
    add ??= await skeletons(watched, 'html');
    assert.deepEqual(await skeletons(watched, 'html'), add, value);
    assert.deepEqual(await properties(watched, 'h1, .price'), [value, value]);
    assert.deepEqual(await properties(watched, '[name=id]', 'value'), [ids[i]]);
    await checkHarmless(watched, value);
  }

  const [token] = await properties(watched, '[name=_csrf]', 'value');
  const put = async (id, quantity) => {
    const response = await context.request.post(`${url}/cart`, {
      form: { _csrf: token, id, quantity }, maxRedirects: 0,
    });
    assert.equal(response.status(), 302, id);
  };
  for (let round = 0; round < 2; ++round) {
    for (const id of ids) await put(id, 9);
    await watched.goto(`${url}/cart`);
    assert.equal(await countOfAlike(watched, '.line'), 100);
    assert.deepEqual((await properties(watched, '.line h2')).sort(), [...hostileValues].sort());
    assert.deepEqual((await properties(watched, '.line', 'ariaLabel')).sort(), [...hostileValues].sort());
    await watched.getByRole('button', { name: 'Order', exact: true }).click();
    await watched.getByRole('status').waitFor();
  }
  // There are two of each left.
  let rejected;
  await put(ids[0], 9);
  await watched.goto(`${url}/cart`);
  for (const [i, value] of hostileValues.entries()) {
    await Promise.all([
      watched.waitForNavigation(),
      watched.evaluate(() => document.querySelector('form[action="/cart/order"]').submit()),
    ]);
    rejected ??= await skeletons(watched, 'html');
    assert.deepEqual(await skeletons(watched, 'html'), rejected, value);
    const problem = await properties(watched, '[role=alert], .line h2');
    assert.deepEqual(problem, [`There are too few left: ${value}.`, value]);
    await checkHarmless(watched, value);
    await put(ids[i], 0);
    if (i + 1 < ids.length) await put(ids[i + 1], 9);
  }
  await watched.goto(`${url}/account`);
  assert.match(await watched.locator('#orders').innerText(), /sent 2 orders/);
  await watched.close();
}, { timeout: 300_000 });

test('a script reads the data of its page, and has metadata of the route and of the call', async () => {
  await page.goto(`${places.url}/numbers`);
  // Members that `frontend.data` does not declare are not sent.
  assert.equal(await page.locator('#shown').innerText(), 'from {"n":1}');
  assert.doesNotMatch(await page.content(), /not declared/);
  assert.equal(await page.locator('h1').evaluate((h1) => getComputedStyle(h1).color), 'rgb(1, 2, 3)');
  assert.equal(await page.locator('link[rel=modulepreload]').count(), 1);
  assert.equal(await page.title(), 'Title of the call');
  const metadata = await page.evaluate(() => Object.fromEntries(
    [...document.querySelectorAll('meta[name]')].map(({ name, content }) => [name, content])));
  assert.deepEqual(metadata, {
    description: 'Description of the route', robots: 'noindex', lang: 'en',
  });
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'en');
});

test('without hydration the same page has no script, no data and no preload', async () => {
  const requests = [];
  const visitor = await context.newPage();
  visitor.on('request', (request) => requests.push(request.resourceType()));
  await visitor.goto(`${places.url}/numbers/plain`);
  assert.equal(await visitor.locator('#shown').innerText(), 'by the server');
  assert.equal(await visitor.locator('#page-data, script[src], link[rel=modulepreload]').count(), 0);
  assert.deepEqual(requests, ['document', 'stylesheet']);
  await visitor.close();
});

test('a page is rendered again after its interval, and not before', async () => {
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
}, { timeout: 60_000 });

test('a policy of nonces runs the scripts of the page, and no others', async () => {
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
    assert.deepEqual(seen, {
      nonces: [nonce, nonce], shown: true, color: 'rgb(1, 2, 3)', ofDocument: true, inline: undefined,
    }, path);
  }
  assert.equal(nonces.size, 6);
  await visitor.close();
  // Without the policy, the inline script is run.
  await page.goto(`${places.url}/numbers`);
  assert.equal(await page.evaluate(() => window.isInlineScriptRun), true);
});

test('a script or style sheet that is missing is noticed', async () => {
  const found = [];
  const broken = await context.newPage();
  collectComplaints(broken, found);
  await broken.goto(`${places.url}/numbers/plain`);
  await broken.evaluate(() => Promise.all([
    Object.assign(document.createElement('script'), { src: '/none.js' }),
    Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '/none.css' }),
  ].map((element) => new Promise((resolve) => {
    element.addEventListener('error', resolve);
    document.head.append(element);
  }))));
  assert.deepEqual(found.sort(), [
    `404 for the script ${places.url}/none.js`, `404 for the stylesheet ${places.url}/none.css`,
  ]);
  await broken.close();
});

async function checkAccessibility() {
  // By the protocol of the browser, which the security policy of the page does not stop.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
  assert.deepEqual(serious.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
}

const devices = [['desktop', { width: 1280, height: 800 }], ['phone', { width: 390, height: 844 }]];

/** Checks the page that is shown, on a desktop with light colors, and on a phone with dark ones. */
async function checkPage(name) {
  for (const [i, [device, size]] of devices.entries()) {
    await page.setViewportSize(size);
    for (const [j, colorScheme] of ['light', 'dark'].entries()) {
      if (i !== j && !screenshots) continue;
      await page.emulateMedia({ colorScheme });
      if (i === j) await checkAccessibility();
      const overflow = await page.evaluate(() =>
        document.documentElement.scrollWidth - document.documentElement.clientWidth);
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

test('a product is static', async () => {
  await visit('/products/lamp', 'product');
  assert.equal(await page.locator('h1').innerText(), 'Desk lamp');
  assert.equal(await page.title(), 'Desk lamp – Fairway Shop');
  assert.equal((await fetch(`${shop.url}/products/none`)).status, 404);
});

test('the cart is filled, changed and ordered', async () => {
  await visit('/cart', 'cart-empty');
  await page.goto(`${shop.url}/products/lamp`);
  await page.getByRole('link', { name: 'Add to the cart' }).click();
  await page.getByLabel('Quantity').fill('2');
  await page.getByRole('button', { name: 'Put into the cart' }).click();
  await page.waitForURL('**/cart');
  assert.match(await page.locator('main').innerText(), /2 × 49\.00 €\s+98\.00 €/);
  await visit('/cart/add/mug', 'add');
  await page.getByRole('button', { name: 'Put into the cart' }).click();
  await visit('/cart', 'cart');
  await page.getByRole('button', { name: 'Remove Stoneware mug' }).click();
  assert.equal(await page.locator('.line').count(), 1);
  await checkPage('cart-changed');
  await page.getByRole('button', { name: 'Order', exact: true }).click();
  await page.getByRole('status').waitFor();
  await checkPage('cart-ordered');
  await visit('/account', 'account');
  assert.equal(await page.locator('#orders').innerText(), 'You have sent 1 order from this browser.');
});

test('an order of more than there is keeps the cart', async () => {
  const order = async () => {
    await page.goto(`${shop.url}/cart/add/clock`);
    await page.getByLabel('Quantity').fill('9');
    await page.getByRole('button', { name: 'Put into the cart' }).click();
    await page.getByRole('button', { name: 'Order', exact: true }).click();
  };
  await order();
  await order();
  const rejected = page.waitForResponse((response) => response.status() === 409);
  await order();
  await rejected;
  assert.equal(await page.getByRole('alert').innerText(), 'There are too few left: Wall clock.');
  assert.equal(await page.locator('.line').count(), 1);
  await checkPage('cart-rejected');
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
  await visitor.goto(`${shop.url}/products/notebook`);
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
  await visit('/nothing/here', 'error-404');
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
