// The page of `fairway dev` shows the example of each rule as `fairway doctor` reports it. The process, the build with
// CMake, the socket and the browser are real; the project runs `fairway doctor` in a custom target.
// Usage: diagnostics_page_test.mjs FAIRWAY INCLUDE_DIR FOLDER_OF_EXAMPLES CHROMIUM [FOLDER_OF_SCREENSHOTS]
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test, { after, before } from 'node:test';

import { collectComplaints, launchBrowser } from '../support/browser.mjs';
import { freePort, stopProcess, waitForPort } from '../support/server_process.mjs';

const [fairway, include, examples, chromium] = process.argv.slice(2, 6).map((path) => resolve(path));
const screenshots = process.argv[6];
const require = createRequire(new URL('../../../tools/npm/', import.meta.url));
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const trees = ['errors', 'warnings'];
const hostile = `#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", {.validate = {.query = {{"q", "<script>document.title='@version@'</script>&amp;"}}}}, respond);
});
`;

let folder, cache, dev, url, browser, page;
let log = '';
const complaints = [];

const optionsOf = (tree) => {
  const config = ['https-not-enabled', 'bad-configuration']
    .map((name) => `${tree}/config/${name}.json`)
    .find((name) => existsSync(join(examples, name)));
  return ['--no-config', ...(config ? ['--app-config', config] : []), '--source-dir', tree, '--cache-dir', cache];
};
const flags = ['--', '-std=c++20', `-I${include}`, '-include', join(examples, 'prelude.hpp')];

function doctor(options, cwd = examples) {
  const { status, stdout, stderr } = spawnSync(fairway, ['doctor', ...options], { cwd, encoding: 'utf8' });
  assert.ok(status === 0 || status === 1, stderr);
  return stdout;
}
const found = (tree, cwd) => JSON.parse(doctor(['--format', 'json', ...optionsOf(tree), ...flags], cwd)).diagnostics;

const location = ({ file, line, column }) => (line > 0 ? `${file}:${line}:${column}` : file);
const expected = (each) => ({
  severity: each.severity,
  location: location(each),
  message: `${each.severity}: ${each.message} ${each.id}`,
  link: `/.fairway/dev/rules/${each.id}`,
  details: [
    ...(each.method || each.route ? [`route: ${[each.method, each.route].filter(Boolean).join(' ')}`] : []),
    ...(each.help ? [`help: ${each.help}`] : []),
  ],
  notes: each.notes.map((note) => ({ location: location(note), message: `note: ${note.message}` })),
});

/** What the page shows, in its order. */
const shown = () =>
  page.$$eval('article', (articles) =>
    articles.map((article) => {
      const text = (element) => element.textContent;
      const own = (selector) => [...article.querySelectorAll(`:scope > ${selector}`)];
      return {
        severity: article.className,
        location: text(own('.location')[0]),
        message: text(own('.message')[0]),
        link: article.querySelector('.rule').getAttribute('href'),
        details: own('.detail').map(text),
        notes: own('.note').map((note) => ({
          location: text(note.querySelector('.location')),
          message: text(note.querySelector('.message')),
        })),
      };
    }),
  );
const snippets = () => page.$$eval('article pre', (all) => all.map((each) => each.textContent));

before(
  async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'fairway-diagnostics-page-')));
    cache = join(folder, 'build', 'cache');
    mkdirSync(join(folder, 'hostile', 'routes'), { recursive: true });
    writeFileSync(join(folder, 'hostile', 'routes', 'index.cpp'), hostile);
    writeFileSync(join(folder, 'main.c'), 'int main(void) { return 0; }\n');
    const quoted = (words) => words.map((word) => `'${word}'`).join(' ');
    const runs = [...trees, 'hostile'].map((tree) => {
      const cwd = tree === 'hostile' ? folder : examples;
      return `(cd '${cwd}' && ${quoted([fairway, 'doctor', '--all', ...optionsOf(tree), ...flags])})`;
    });
    writeFileSync(join(folder, 'check.sh'), `echo before\n${runs.join('\n')}\necho after '<b>'\nexit 1\n`);
    writeFileSync(
      join(folder, 'CMakeLists.txt'),
      `cmake_minimum_required(VERSION 3.25)
project(shop LANGUAGES C)
add_executable(shop main.c)
add_custom_target(check COMMAND sh \${CMAKE_SOURCE_DIR}/check.sh)
add_dependencies(shop check)
`,
    );
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    dev = spawn(fairway, ['dev', '--port', String(port), '--color', 'always'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [dev.stdout, dev.stderr]) stream.setEncoding('utf8').on('data', (text) => (log += text));
    await waitForPort(port, dev).catch(() => assert.fail(log));
    browser = await launchBrowser(chromium);
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    collectComplaints(page, complaints);
    await page.goto(url, { timeout: 600_000 });
    await page.waitForSelector('article', { timeout: 1_200_000 }); // after a doctor run of each example
  },
  { timeout: 1_800_000 },
);

after(async () => {
  await browser?.close();
  if (dev) await stopProcess(dev);
  rmSync(folder, { recursive: true, force: true });
});

test('diagnostics page: has the example of each rule as doctor reports it, in the same order', async () => {
  const all = [...trees.flatMap((tree) => found(tree)), ...found('hostile', folder)];
  assert.deepEqual(await shown(), all.map(expected));
  const rules = doctor(['--list-rules']).trimEnd().split('\n');
  const ids = new Set(all.map(({ id }) => id));
  assert.deepEqual(
    rules.map((line) => line.split(/\s+/, 1)[0]).filter((id) => !ids.has(id)),
    [],
  );
});

test('diagnostics page: shows the source excerpts, carets and repairs of the terminal', async () => {
  const terminal = log.replaceAll('\r', '').replace(/\x1b\[[0-9;]*[A-Za-z]/g, '');
  const missing = (await snippets()).filter((each) => !terminal.includes(each));
  assert.deepEqual(missing, []);
  assert.ok((await snippets()).length > 60);
  const counts = await page.$$eval('.count', (all) => all.map((each) => each.textContent));
  assert.equal(counts.length, 3);
  for (const count of counts) assert.ok(terminal.includes(`${count}\n`), count);
});

test('diagnostics page: each link leads to the explanation of its rule', async () => {
  for (const id of new Set((await shown()).map(({ link }) => link.split('/').at(-1)))) {
    const response = await page.request.get(`${url}/.fairway/dev/rules/${id}`);
    assert.equal(response.status(), 200, id);
  }
  const rule = await browser.newPage();
  await rule.goto(`${url}/.fairway/dev/rules/bad-schema`);
  assert.equal(await rule.textContent('pre'), doctor(['--explain', 'bad-schema']));
  await rule.close();
  assert.equal((await page.request.get(`${url}/.fairway/dev/rules/nothing`)).status(), 404);
});

test('diagnostics page: text of sources and of the build stays text', async () => {
  assert.match(await page.title(), /^The build failed/);
  assert.ok((await snippets()).some((each) => each.includes(`<script>document.title='@version@'</script>&amp;`)));
  const output = await page.$$eval('.output', (all) => all.map((each) => each.textContent));
  assert.deepEqual(output, ['before\n', 'after <b>\n']);
});

test('diagnostics page: is readable in light and dark, and on a narrow screen', async () => {
  const screenshot = async (name) => {
    if (screenshots) await page.screenshot({ path: join(screenshots, `${name}.png`) });
  };
  await page.evaluate(axe);
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 380],
  ]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
    const { violations } = await page.evaluate(() => window.axe.run());
    assert.deepEqual(
      violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)]),
      [],
    );
    await screenshot(`${colorScheme}-${width}`);
  }
  // The page itself is a 500, and its icon a 503.
  assert.deepEqual(
    complaints.filter((each) => !each.startsWith('Failed to load resource')),
    [],
  );
});
