// The page of `fairway dev` that shows requests, in a real browser, with a program of Fairway.
// Usage: page_test.mjs FAIRWAY PROGRAM CHROMIUM [FOLDER_OF_SCREENSHOTS]
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { pathToFileURL } from 'node:url';

import { collectComplaints, launchBrowser } from '../support/browser.mjs';
import { freePort, stopProcess, waitForPort } from '../support/server_process.mjs';

const [fairway, program, chromium, screenshots] = process.argv.slice(2);
const path = '/.fairway/dev/requests';
const require = createRequire(new URL('../../../tools/npm/', import.meta.url));
const sdk = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await sdk('client/index.js');
const { StdioClientTransport } = await sdk('client/stdio.js');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

let folder, dev, url, port, browser, page;
const complaints = [];
const outside = [];

/** A response, with its body. */
function send(target, { method = 'GET', headers = {}, body, host } = {}) {
  return new Promise((resolve, reject) => {
    const options = { method, headers: host ? { ...headers, Host: host } : headers };
    const request = http.request(url + target, options, (response) => {
      let text = '';
      response.on('data', (part) => (text += part)).on('end', () => resolve({ status: response.statusCode, text }));
    });
    request.on('error', reject).end(body);
  });
}

/** The detail, once `isThere` says that all of it has arrived. */
async function detail(target, isThere) {
  for (;;) {
    const { requests } = JSON.parse((await send(`${path}/rows?after=0`)).text);
    const row = requests.findLast((each) => each.target.startsWith(target));
    const found = row && JSON.parse((await send(`${path}/${row.id}`)).text);
    if (found && isThere(found)) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
const hasSpans = (found) => found.route !== null && found.duration !== null;
async function checkAccessibility() {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run());
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    [],
  );
}
const screenshot = async (name) => {
  if (screenshots) await page.screenshot({ path: join(screenshots, `${name}.png`) });
};

before(
  async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'fairway-page-')));
    // The program is built already: the project only starts it.
    writeFileSync(
      join(folder, 'CMakeLists.txt'),
      'cmake_minimum_required(VERSION 3.25)\nproject(shop LANGUAGES C)\nadd_executable(shop main.c)\n',
    );
    writeFileSync(
      join(folder, 'main.c'),
      `#include <unistd.h>\nint main(int count, char** arguments) {\n  (void)count;\n  return execv(${JSON.stringify(program)}, arguments);\n}\n`,
    );
    port = await freePort();
    url = `http://127.0.0.1:${port}`;
    dev = spawn(fairway, ['dev', '--port', String(port)], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let log = '';
    for (const stream of [dev.stdout, dev.stderr]) stream.on('data', (text) => (log += text));
    await waitForPort(port, dev).catch(() => assert.fail(log));
    assert.equal((await send('/shop/items/7?q=1')).status, 200, log);
    browser = await launchBrowser(chromium);
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    collectComplaints(page, complaints);
    page.on('request', (request) => {
      if (!request.url().startsWith(url) && !request.url().startsWith('data:')) outside.push(request.url());
    });
    await page.goto(url + path);
  },
  { timeout: 1_800_000 },
);

after(async () => {
  await browser?.close();
  if (dev) await stopProcess(dev);
  rmSync(folder, { recursive: true, force: true });
});

test('dev page: fairway mcp shows the requests and their spans', async () => {
  const target = '/shop/items/8?token=secret';
  assert.equal((await send(target)).status, 200);
  await detail('/shop/items/8', hasSpans);
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({ command: fairway, args: ['mcp', '--url', url], cwd: folder });
  await client.connect(transport);
  const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent;
  const { total, requests } = await call('requests', { route: '/shop/items/8' });
  assert.equal(total, 1);
  const { id, ...row } = requests[0];
  assert.deepEqual([row.method, row.target, row.status], ['GET', '/shop/items/8?token=***', 200]);
  assert.equal((await call('requests', { trace: row.trace })).total, 1);
  const trace = await call('trace', { id });
  assert.ok(trace.spans.some((span) => span.name === `GET ${row.route}`));
  await client.close();
});

test('dev page: lists the requests while they arrive, errors first', async () => {
  await page.waitForSelector('#rows tbody tr');
  await send('/shop/broken');
  await send('/shop/slow');
  await send('/shop/orders', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: 'Bearer confidential' },
    body: JSON.stringify({ name: 'too long', password: 'confidential' }),
  });
  await send('/shop/items/8?page=2&api_key=confidential');
  await page.waitForFunction(() => document.querySelectorAll('#rows tbody tr').length === 6);
  await page.waitForFunction(() => document.querySelector('#rows tbody').textContent.includes('/shop/items/:id'));
  const rows = await page.locator('#rows tbody tr').allInnerTexts();
  assert.match(rows[0], /GET\s*500\s*\/shop\/broken/);
  assert.match(rows[1], /GET\s*200\s*\/shop\/items\/8\?page=2&api_key=\*\*\*/);
  assert.match(rows[2], /POST\s*4\d\d\s*\/shop\/orders/);
  assert.match(rows[3], /GET\s*200\s*\/shop\/slow/);
  await checkAccessibility();
  await screenshot('list');
});

test('dev page: a request has the waterfall of its spans, and nothing secret', async () => {
  await detail('/shop/slow', hasSpans);
  await page.click('#rows a[title="/shop/slow"]');
  const summary = page.locator('#detail summary', { hasText: 'price' });
  await summary.waitFor();
  assert.match(await page.innerText('#detail'), /GET \/shop\/slow\n[^]*handler[^]*price/);
  await summary.click();
  assert.match(await page.innerText('#detail'), /currency\s+EUR/);
  assert.ok(!(await page.innerText('#detail')).includes('undefined'));
  assert.match(await page.innerText('#log'), /warn\s+priced \{"api_key":"\*\*\*","currency":"EUR"\}/);
  assert.match(await page.innerText('#detail'), /routes\/shop\.cpp:\d+/);
  await checkAccessibility();
  await screenshot('detail');

  const failed = await detail('/shop/broken', hasSpans);
  assert.ok(failed.spans.some((span) => span.name === 'handler' && span.failed));

  const order = await detail('/shop/orders', hasSpans);
  assert.equal(order.route, '/shop/orders');
  assert.ok(order.spans.some((span) => span.name === 'validation' && span.failed));
  assert.deepEqual(JSON.parse(order.request.text), { name: 'too long', password: '***' });
  assert.equal(order.request.fields.find(([name]) => name === 'Authorization')[1], '***');
  assert.ok(!JSON.stringify(order).includes('confidential'));
  const item = await detail('/shop/items/8', hasSpans);
  assert.ok(!JSON.stringify(item).includes('confidential'));
});

test('dev page: filters, and is used with the keyboard', async () => {
  await page.keyboard.press('Escape');
  await page.waitForSelector('#detail', { state: 'hidden' });
  await page.keyboard.press('/');
  await page.keyboard.type('orders 4');
  await page.waitForFunction(() => document.querySelectorAll('#rows tbody tr').length === 1);
  await page.keyboard.press('ArrowDown');
  await page.waitForSelector('#detail h2:text("POST /shop/orders")');
  await page.fill('#filter', '');
  await page.selectOption('#kind', 'bad');
  await page.waitForFunction(() => document.querySelectorAll('#rows tbody tr').length === 2);
  await page.selectOption('#kind', '');
});

test('dev page: sends a request again, with what it hides', async () => {
  const before = await detail('/shop/orders', hasSpans);
  assert.ok(before.repeatable);
  await page.click('#again');
  await page.waitForFunction(() => document.querySelectorAll('#rows tbody tr').length === 6);
  const again = await detail('/shop/orders', (found) => found.id !== before.id && hasSpans(found));
  assert.equal(again.status, before.status);
  assert.deepEqual(again.request, before.request);
});

test('dev page: only a client on this machine, by its own name, and the page itself get something', async () => {
  const last = (await detail('/shop/orders', hasSpans)).id;
  assert.equal((await send(path, { host: 'rebound.example' })).status, 421);
  assert.equal((await send(`${path}/rows?after=0`, { host: '127.rebound.example' })).status, 421);
  assert.equal((await send(path, { host: 'localhost:1' })).status, 200);
  assert.equal((await send(`${path}/${last}/again`, { method: 'POST' })).status, 403);
  const headers = { 'Access-Control-Request-Headers': 'x-fairway-dev', Origin: 'http://evil.example' };
  assert.equal((await send(`${path}/${last}/again`, { method: 'OPTIONS', headers })).status, 403);
  assert.equal((await send(`${path}/999999`)).status, 404);
});

test('dev page: is readable on a narrow and on a dark screen', async () => {
  await page.setViewportSize({ width: 380, height: 700 });
  await page.emulateMedia({ colorScheme: 'dark' });
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok((await width()) <= 380);
  await checkAccessibility();
  await screenshot('narrow-detail');
  await page.click('#close');
  await page.waitForSelector('#rows', { state: 'visible' });
  assert.ok((await width()) <= 380);
  await screenshot('narrow-list');
});

test('dev page: leads to the API documentation and to the error of the last build', async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.waitForSelector('#docs[href="/docs"]', { state: 'visible' });
  const main = readFileSync(join(folder, 'main.c'));
  writeFileSync(join(folder, 'main.c'), 'int main(void) { return missing; }\n');
  await page.waitForSelector('#failure', { state: 'visible' });
  assert.match(await page.innerText('#failure'), /The build failed/);
  await checkAccessibility();
  const [error] = await Promise.all([page.context().waitForEvent('page'), page.click('#failure')]);
  await error.waitForSelector('pre:has-text("missing")');
  assert.equal(await error.getAttribute('main a', 'href'), path);
  await error.close();
  writeFileSync(join(folder, 'main.c'), main);
  await page.waitForSelector('#failure', { state: 'hidden' });
});

test('dev page: loads nothing from elsewhere, and has no errors', () => {
  assert.deepEqual(outside, []);
  assert.deepEqual(complaints, []);
});
