// Compression, static files, ranges and conditional requests with clients that other people wrote:
// curl, nginx as a cache in front, and a browser. Those that are missing are skipped.
// Usage: delivery_test.mjs PROGRAM CURL NGINX CHROMIUM (empty or *-NOTFOUND where there is none)
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

import { launchBrowser } from '../support/browser.mjs';
import { unhurried } from '../support/sample_process.mjs';
import { freePort, startServer } from '../support/server_process.mjs';

const [program, curl, nginx, chromium] = process.argv.slice(2);
const without = (tool, name) => (fs.existsSync(tool ?? '') ? false : `no ${name}`);
const run = promisify(execFile);

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'fairway-delivery-'));
const large = Buffer.alloc(3_000_000, 'The quick brown fox jumps over the lazy dog. ');
let server;

before(
  async () => {
    const site = path.join(folder, 'site');
    fs.mkdirSync(path.join(folder, 'config'));
    fs.mkdirSync(site);
    fs.writeFileSync(
      path.join(folder, 'config', 'default.json'),
      JSON.stringify({ compression: { enabled: true }, etag: 'weak', server: unhurried }),
    );
    fs.writeFileSync(
      path.join(site, 'index.html'),
      '<!doctype html><link rel=stylesheet href=style.css><script src=app.3f8a2c91.js></script><p>Home',
    );
    fs.writeFileSync(path.join(site, 'style.css'), 'p { color: rgb(1, 2, 3) }');
    fs.writeFileSync(path.join(site, 'app.3f8a2c91.js'), 'window.loaded = true;');
    fs.writeFileSync(path.join(site, 'digits.txt'), '0123456789');
    fs.writeFileSync(path.join(site, 'large.bin'), large);
    fs.writeFileSync(path.join(site, 'page.txt'), 'plain');
    fs.writeFileSync(path.join(site, 'page.txt.br'), zlib.brotliCompressSync('precompressed'));
    server = await startServer(program, [], folder);
  },
  { timeout: 1_800_000 },
);

after(async () => {
  await server?.stop();
  fs.rmSync(folder, { recursive: true });
});

const curlGet = async (...args) => (await run(curl, ['-sS', ...args], { maxBuffer: 1e8 })).stdout;

test('delivery: curl --compressed decodes compressed responses', { skip: without(curl, 'curl') }, async () => {
  for (const coding of ['gzip', 'br', 'zstd']) {
    const head = await curlGet('-D-', '-o', '/dev/null', '-H', `Accept-Encoding: ${coding}`, `${server.url}/stream`);
    assert.match(head, new RegExp(`content-encoding: ${coding}`, 'i'));
  }
  assert.equal(await curlGet('--compressed', `${server.url}/stream`), 'x'.repeat(100_000));
  assert.equal(await curlGet('--compressed', `${server.url}/page.txt`), 'precompressed');
  const json = JSON.parse(await curlGet('--compressed', `${server.url}/cached`));
  assert.equal(json.data.text.length, 5_000);
  const again = JSON.parse(await curlGet('--compressed', `${server.url}/cached`));
  assert.equal(again.data.calls, json.data.calls);
  assert.notEqual(again.requestId, json.requestId);
});

test(
  'delivery: curl resumes downloads, requests ranges and revalidates a file',
  { skip: without(curl, 'curl') },
  async () => {
    const file = path.join(folder, 'copy.bin');
    fs.writeFileSync(file, large.subarray(0, 1_000_000));
    await curlGet('-C', '-', '-o', file, `${server.url}/large.bin`);
    assert.ok(fs.readFileSync(file).equals(large));
    assert.equal(await curlGet('-r', '2-4', `${server.url}/digits.txt`), '234');
    assert.match(await curlGet('-r', '0-0,9-', `${server.url}/digits.txt`), /\r\n\r\n0\r\n--.*\r\n\r\n9\r\n/s);
    const tags = path.join(folder, 'tags');
    const status = ['-o', '/dev/null', '-w', '%{http_code}'];
    await curlGet('--etag-save', tags, '-o', '/dev/null', `${server.url}/digits.txt`);
    assert.equal(await curlGet('--etag-compare', tags, ...status, `${server.url}/digits.txt`), '304');
    assert.equal(await curlGet('-z', '1 Jan 2037', ...status, `${server.url}/digits.txt`), '304');
    assert.equal(await curlGet('-z', '6 Nov 1994', ...status, `${server.url}/digits.txt`), '200');
  },
);

test(
  'delivery: nginx caches only cacheable responses, and revalidates them',
  { skip: without(nginx, 'nginx') },
  async () => {
    const port = await freePort();
    const home = path.join(folder, 'nginx');
    fs.mkdirSync(home);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${home}/${name};`)
      .join('\n');
    fs.writeFileSync(
      path.join(home, 'nginx.conf'),
      `
      pid ${home}/nginx.pid;
      daemon off;
      master_process off;
      error_log ${home}/error.log;
      events {}
      http {
        access_log off;
        ${temporary}
        proxy_cache_path ${home}/cache keys_zone=zone:1m;
        server {
          listen 127.0.0.1:${port};
          location / {
            proxy_pass ${server.url};
            proxy_cache zone;
            proxy_cache_revalidate on;
            add_header X-Proxy $upstream_cache_status;
          }
        }
      }`,
    );
    const child = spawn(nginx, ['-p', home, '-c', path.join(home, 'nginx.conf')], { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    const get = (target, headers = {}) =>
      fetch(`http://127.0.0.1:${port}${target}`, { headers: { 'accept-encoding': 'identity', ...headers } });
    try {
      for (let attempts = 0; attempts < 1200; ++attempts) {
        if (
          await get('/digits.txt').then(
            () => true,
            () => false,
          )
        )
          break;
        if (child.exitCode !== null) throw new Error(fs.readFileSync(`${home}/error.log`, 'utf8'));
        await sleep(50);
      }
      const proxy = (response) => response.headers.get('x-proxy');
      const first = await get('/app.3f8a2c91.js');
      assert.equal(proxy(first), 'MISS');
      const tag = first.headers.get('etag');
      await first.text();
      assert.equal(proxy(await get('/app.3f8a2c91.js')), 'HIT');
      const known = await get('/app.3f8a2c91.js', { 'if-none-match': tag });
      assert.deepEqual([known.status, proxy(known)], [304, 'HIT']);
      const part = await get('/app.3f8a2c91.js', { range: 'bytes=0-5' });
      assert.deepEqual([part.status, await part.text()], [206, 'window']);
      // Each coding is a variant of its own.
      const calls = async (coding) => {
        const response = await get('/cached', { 'accept-encoding': coding });
        return [response.headers.get('content-encoding'), (await response.json()).data.calls];
      };
      const plain = await calls('identity');
      assert.deepEqual(await calls('gzip'), ['gzip', plain[1]]);
      assert.deepEqual(await calls('br'), ['br', plain[1]]);
      assert.deepEqual(await calls('identity'), plain);
      // A response with no-cache is asked for each time.
      assert.equal(proxy(await get('/style.css')), 'MISS');
      assert.equal(proxy(await get('/style.css')), 'MISS');
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  },
);

test(
  'delivery: a browser caches hashed files and revalidates the others',
  { skip: without(chromium, 'Chromium') },
  async () => {
    const browser = await launchBrowser(chromium);
    try {
      const page = await browser.newPage();
      const deliveries = async () => (await (await fetch(`${server.url}/deliveries`)).json()).data;
      // A response is counted after the browser has it. After a minute, what there is.
      const deliveriesWith = async (expected) => {
        const deadline = Date.now() + 60_000;
        const lines = [];
        do {
          lines.push(...(await deliveries()));
        } while (!expected.every((line) => lines.includes(line)) && Date.now() < deadline);
        return lines;
      };
      await deliveries();
      await page.goto(`${server.url}/`);
      assert.equal(await page.evaluate(() => window.loaded), true);
      assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('p')).color), 'rgb(1, 2, 3)');
      const all = ['/ 200', '/style.css 200', '/app.3f8a2c91.js 200'];
      const first = await deliveriesWith(all);
      for (const line of all) assert.ok(first.includes(line), line);
      await page.goto('about:blank');
      await page.goto(`${server.url}/`);
      assert.equal(await page.evaluate(() => window.loaded), true);
      const revalidated = ['/ 304', '/style.css 304'];
      const second = (await deliveriesWith(revalidated)).filter((line) => !/^\/(favicon|deliveries)/.test(line));
      assert.deepEqual(second.sort(), revalidated);
      const range = await page.evaluate(async () => {
        const response = await fetch('/digits.txt', { headers: { Range: 'bytes=2-4' } });
        return [response.status, response.headers.get('content-range'), await response.text()];
      });
      assert.deepEqual(range, [206, 'bytes 2-4/10', '234']);
      const text = await page.evaluate(async () => (await (await fetch('/stream')).text()).length);
      assert.equal(text, 100_000);
    } finally {
      await browser.close();
    }
  },
);
