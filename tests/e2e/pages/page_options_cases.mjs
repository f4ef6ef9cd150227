// The options of a page, and the policies of its scripts.
import assert from 'node:assert/strict';
import test from 'node:test';

import { collectComplaints } from '../support/browser.mjs';
import { context, guarded, page, places } from './pages_setup.mjs';

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
