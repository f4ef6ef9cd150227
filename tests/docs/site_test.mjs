// The site as tools/site.sh builds it: every link and anchor leads somewhere, the search finds, and pages
// fit a phone in both colours. Usage: site_test.mjs ROOT FOLDER CHROMIUM [SCREENSHOTS]
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import http from 'node:http';
import { dirname, extname, join, relative, resolve } from 'node:path';
import test, { after, before } from 'node:test';

import { launchBrowser } from '../e2e/support/browser.mjs';
import { blocksOf } from '../../tools/site/pages.mjs';

const [root, folder, chromium, screenshots] = process.argv.slice(2);
const types = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

// The file of an address, as static servers find it.
function fileOf(path) {
  const file = join(folder, decodeURIComponent(path));
  for (const each of [file, `${file}.html`, join(file, 'index.html')]) {
    if (existsSync(each) && statSync(each).isFile()) return each;
  }
  return null;
}

const files = (below) =>
  readdirSync(below, { recursive: true })
    .map((name) => join(below, name))
    .filter((name) => name.endsWith('.html'));

/** Opens a page of the site, whose buttons do nothing before its scripts have run. */
async function open(page, path) {
  await page.goto(url + path);
  await page.waitForFunction(() => document.querySelector('#app')?.__vue_app__);
}

let server;
let browser;
let url;
before(async () => {
  execFileSync('bash', [join(root, 'tools/site.sh'), folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  server = http.createServer((request, response) => {
    const file = fileOf(new URL(request.url, 'http://site').pathname);
    if (!file) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' });
    return response.end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${server.address().port}`;
  browser = await launchBrowser(chromium);
});
after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
});

test('site: no link is dead', () => {
  const contents = new Map(files(folder).map((file) => [file, readFileSync(file, 'utf8')]));
  const anchors = new Map(
    [...contents].map(([file, text]) => [
      file,
      new Set([...text.matchAll(/\s(?:id|name)="([^"]*)"/g)].map(([, id]) => id.replaceAll('&amp;', '&'))),
    ]),
  );
  const dead = [];
  let count = 0;
  for (const [file, text] of contents) {
    const own = relative(folder, file);
    for (const [, raw] of text.matchAll(/<a\b[^>]*\shref="([^"]*)"/g)) {
      const target = raw.replaceAll('&amp;', '&');
      if (/^(?:[a-z]+:|javascript)/.test(target)) continue;
      count += 1;
      const [path, anchor] = target.split('#');
      const to =
        path === '' ? file : fileOf(path.startsWith('/') ? path : `/${relative(folder, resolve(dirname(file), path))}`);
      if (!to) dead.push(`${own}: ${target}`);
      // Doxygen's own links to members that it does not show have no anchor.
      else if (
        anchor &&
        to.endsWith('.html') &&
        !own.startsWith('api/') &&
        !anchors.get(to).has(decodeURIComponent(anchor))
      )
        dead.push(`${own}: ${target}`);
    }
  }
  assert.deepEqual(dead.slice(0, 20), []);
  assert.ok(count > 1000, `only ${count} links`);
});

const pages = ['', 'recipes/'].flatMap((below) =>
  readdirSync(join(root, 'docs', below))
    .filter((name) => name.endsWith('.md'))
    .map((name) => below + name),
);

test('site: every page of docs/ exists and has a title', () => {
  for (const name of pages) {
    const file = fileOf(name === 'README.md' ? '/' : `/${name.slice(0, -3)}`);
    assert.ok(file, name);
    assert.match(readFileSync(file, 'utf8'), /<h1[\s\S]*<\/h1>/, name);
  }
});

test('site: every page is beside its HTML as Markdown, and llms.txt lists it', () => {
  const list = readFileSync(join(folder, 'llms.txt'), 'utf8');
  assert.match(list, /^# Fairway\n\n> Fairway is .*\n\n## Start\n\n- \[Installing\]\(\/installing\.md\): /);
  const listed = [...list.matchAll(/^- \[[^\]]+\]\(\/([\w/-]+\.md)\)/gm)].map(([, name]) => name);
  assert.equal(new Set(listed).size, listed.length);
  for (const name of pages) {
    const written = name === 'README.md' ? 'index.md' : name;
    assert.equal(readFileSync(join(folder, written), 'utf8'), readFileSync(join(root, 'docs', name), 'utf8'), name);
    assert.ok(name === 'README.md' || listed.includes(name), name);
    const html = readFileSync(fileOf(name === 'README.md' ? '/' : `/${name.slice(0, -3)}`), 'utf8');
    assert.ok(html.includes(`<link rel="alternate" type="text/markdown" href="/${written}">`), name);
  }
});

test('site: the search finds a setting', async () => {
  const page = await browser.newPage();
  await open(page, '/');
  await page.click('#local-search button');
  await page.fill('.VPLocalSearchBox input', 'keepAliveTimeout');
  await page.waitForSelector(".VPLocalSearchBox .results a[href*='server']");
  await page.close();
});

test('site: examples are shown as they are in docs/', async () => {
  const page = await browser.newPage();
  for (const name of ['tutorial', 'databases', 'pages', 'diagnostics']) {
    await page.goto(`${url}/${name}`);
    const shown = await page.locator('.vp-doc div[class*=language-] code').allTextContents();
    const written = blocksOf(join(root, 'docs', `${name}.md`)).map(({ lines }) => lines.join('\n'));
    assert.deepEqual(
      shown.map((text) => text.trimEnd()),
      written.map((text) => text.trimEnd()),
      name,
    );
  }
  await page.close();
});

test('site: the copy button of a block copies its commands', async () => {
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  await open(page, '/tutorial');
  const block = page.locator('.language-console').first();
  await block.hover();
  await block.locator('button.copy').click();
  await page.waitForFunction(
    async (commands) => (await navigator.clipboard.readText()) === commands,
    'fairway new todo --template minimal\ncd todo',
  );
  await context.close();
});

for (const scheme of ['light', 'dark']) {
  test(`site: pages fit on phone and desktop in the ${scheme} scheme`, async () => {
    for (const [device, viewport] of [
      ['phone', { width: 390, height: 844 }],
      ['desk', { width: 1280, height: 900 }],
    ]) {
      const page = await browser.newPage({ viewport, colorScheme: scheme });
      for (const path of [
        '/',
        '/tutorial',
        '/configuration',
        '/diagnostics',
        '/migrating',
        '/api/classfw_1_1Request.html',
      ]) {
        await page.goto(url + path);
        const { width, background } = await page.evaluate(() => ({
          width: document.scrollingElement.scrollWidth,
          background: getComputedStyle(document.querySelector('.Layout') ?? document.body).backgroundColor,
        }));
        assert.ok(width <= viewport.width, `${path} is ${width} wide on a ${device}`);
        if (!path.startsWith('/api')) {
          const shade =
            background === 'rgba(0, 0, 0, 0)'
              ? await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
              : background;
          const brightness = Number(/\d+/.exec(shade)[0]);
          assert.equal(brightness < 128, scheme === 'dark', `${path}: ${shade}`);
        }
        if (screenshots)
          await page.screenshot({ path: join(screenshots, `${device}-${scheme}${path.replaceAll('/', '-')}.png`) });
      }
      await page.close();
    }
  });
}
