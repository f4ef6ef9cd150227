// Hostile values in pages, and in the shop.
import assert from 'node:assert/strict';
import test from 'node:test';

import { hostileValues } from './hostile_values.mjs';
import { context, hostileShop, places, properties } from './pages_setup.mjs';
import { Visitor, ada, order } from './shop_visitor.mjs';

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
