// The rooms sample in a real browser: alone, over TLS, and as processes that share a Redis.
// Usage: rooms_test.mjs ROOMS SAMPLE_DIR ROOMS_CLIENT CHROMIUM [SCREENSHOT] [--tls]
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { parseArgs } from 'node:util';

import { collectComplaints, launchBrowser } from '../support/browser.mjs';
import { startRedis } from '../support/redis_process.mjs';
import { startSample } from '../support/sample_process.mjs';
import { complaints, makeFolder } from '../typescript_client/support/compile.mjs';

const {
  positionals: [program, sample, client, chromium, screenshot],
  values: { tls },
} = parseArgs({ allowPositionals: true, options: { tls: { type: 'boolean', default: false } } });

let folder, redis, browser;
const complained = [];
const scripts = {};

before(
  async () => {
    folder = makeFolder();
    const files = ['page.ts', 'rooms.ts'].map((name) => join(folder, name));
    copyFileSync(join(sample, 'web/page.ts'), files[0]);
    copyFileSync(client, files[1]);
    assert.equal(complaints(files, 'browser'), '');
    for (const name of ['page.js', 'rooms.js']) scripts[name] = readFileSync(join(folder, name));
    redis = await startRedis();
    browser = await launchBrowser(chromium);
  },
  { timeout: 1_800_000 },
);

after(async () => {
  await browser?.close();
  await redis?.remove();
});

async function startRooms(local) {
  const server = await startSample(program, sample, { folders: ['config', 'public'], local });
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(server.folder, 'public', name), script);
  }
  return server;
}

/** A visitor of a process, in a room. */
async function enter(server, by, room) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  collectComplaints(page, complained);
  const listening = page.waitForResponse((response) => response.url().endsWith('/rooms/live'));
  await page.goto(server.url);
  assert.equal((await listening).status(), 200);
  await page.fill('#enter [name=by]', by);
  await page.selectOption('#enter [name=room]', room);
  await page.click('#enter button');
  await page.locator('#state', { hasText: `You are in the ${room}, ${by}.` }).waitFor();
  return {
    page,
    say: async (text) => {
      await page.fill('#say [name=text]', text);
      await page.click('#say button');
    },
    hears: (text) => page.locator('#talk li').getByText(text, { exact: true }).waitFor(),
    sees: (text) => page.locator('#list li').getByText(text, { exact: true }).waitFor(),
    talk: () => page.locator('#talk li').allInnerTexts(),
    leave: () => context.close(),
  };
}

test('rooms: one process without Redis', async () => {
  const server = await startRooms({});
  const ada = await enter(server, 'Ada', 'lobby');
  const bob = await enter(server, 'Bob', 'garden');
  await ada.say('<b>hello</b>');
  await ada.hears('Ada: <b>hello</b>');
  await bob.sees('Ada in the lobby: <b>hello</b>');
  await bob.say('trees');
  await ada.sees('Bob in the garden: trees');
  assert.deepEqual(await ada.talk(), ['Ada: <b>hello</b>']);
  if (screenshot) await ada.page.screenshot({ path: screenshot });
  await ada.leave();
  await bob.leave();
  await server.stop();
});

test('rooms: the page says when a room cannot be opened', async () => {
  const server = await startRooms({});
  const page = await browser.newPage();
  await page.goto(server.url);
  await server.stop();
  await page.fill('#enter [name=by]', 'Ada');
  await page.click('#enter button');
  await page.locator('#state', { hasText: 'You are no longer in the lobby: no connection.' }).waitFor();
  assert.ok(await page.locator('#room').isHidden());
  await page.close();
});

/** The clients that a port has at the moment. */
function connectionsTo(port) {
  const isEstablished = (line) => {
    const [, , local, state] = line.match(/^ *(\d+): [0-9A-F]+:([0-9A-F]+) [0-9A-F:]+ ([0-9A-F]+)/) ?? [];
    return state === '01' && parseInt(local, 16) === port;
  };
  return readFileSync('/proc/net/tcp', 'utf8').split('\n').filter(isEstablished).length;
}

test('rooms: over TLS, page, stream and socket share a connection of HTTP/2', { skip: !tls }, async () => {
  const [key, certificate] = ['key.pem', 'certificate.pem'].map((name) => join(folder, name));
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...curve, '-subj', '/CN=127.0.0.1', '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  });
  const started = await startRooms({ server: { tls: { certificate, key } } });
  const server = { ...started, url: started.url.replace('http:', 'https:') };
  const ada = await enter(server, 'Ada', 'lobby');
  await ada.say('encrypted');
  await ada.hears('Ada: encrypted'); // by the socket
  await ada.sees('Ada in the lobby: encrypted'); // by the stream
  const protocols = await ada.page.evaluate(() =>
    ['navigation', 'resource'].flatMap((type) =>
      performance.getEntriesByType(type).map((entry) => entry.nextHopProtocol),
    ),
  );
  assert.ok(protocols.length > 1 && protocols.every((name) => name === 'h2'), `${protocols}`);
  assert.equal(connectionsTo(Number(new URL(server.url).port)), 1);
  await ada.leave();
  await server.stop();
});

test('rooms: two processes with one Redis, which is killed and comes back', async () => {
  const local = { store: { type: 'redis', url: redis.url, keyPrefix: 'rooms:' } };
  const first = await startRooms(local);
  const second = await startRooms(local);
  const ada = await enter(first, 'Ada', 'lobby');
  const bob = await enter(second, 'Bob', 'lobby');
  const eve = await enter(second, 'Eve', 'library');
  await ada.say('from the first process');
  await bob.hears('Ada: from the first process');
  await eve.sees('Ada in the lobby: from the first process');
  await bob.say('from the second');
  await ada.hears('Bob: from the second');
  assert.deepEqual(await ada.talk(), ['Ada: from the first process', 'Bob: from the second']);
  assert.deepEqual(await eve.talk(), []);

  await redis.stop();
  await ada.say('meanwhile');
  await ada.hears('Ada: meanwhile'); // a process needs no Redis for its own clients
  await redis.start();
  // The connections of the browsers have stayed open, so that messages arrive again.
  let said = 0;
  while (!(await bob.talk()).some((line) => line.startsWith('Ada: back'))) {
    await ada.say(`back ${++said}`);
    await ada.hears(`Ada: back ${said}`);
    await ada.page.waitForTimeout(200);
  }
  const talk = await bob.talk();
  assert.deepEqual(talk, [...new Set(talk)]);
  for (const visitor of [ada, bob, eve]) await visitor.leave();
  await first.stop();
  await second.stop();
});

test('rooms: the workers of a cluster', async () => {
  const server = await startRooms({
    store: { type: 'redis', url: redis.url, keyPrefix: 'cluster:' },
    cluster: { enabled: true, workers: 2 },
  });
  // Which worker accepts a connection is up to the system.
  const streams = [];
  while (redis.subscribers('cluster:topic:0:rooms') < 2) {
    const response = await fetch(`${server.url}/rooms/live`);
    assert.equal(response.status, 200);
    streams.push(response.body.getReader());
  }
  const ada = await enter(server, 'Ada', 'lobby');
  await ada.say('to all workers');
  for (const stream of streams) {
    let text = '';
    while (!text.includes('to all workers')) text += new TextDecoder().decode((await stream.read()).value);
    await stream.cancel();
  }
  await ada.leave();
  await server.stop();
});

test('rooms: an EventSource of a browser connects again when a worker is replaced', async () => {
  const server = await startRooms({
    store: { type: 'redis', url: redis.url, keyPrefix: 'source:' },
    cluster: { enabled: true, workers: 1 },
  });
  const ada = await enter(server, 'Ada', 'lobby');
  await ada.page.evaluate(() => {
    const seen = { opened: 0, texts: [] };
    seen.source = new EventSource('/rooms/live');
    seen.source.onopen = () => ++seen.opened;
    seen.source.addEventListener('spoken', (event) => seen.texts.push(JSON.parse(event.data).text));
    globalThis.seen = seen;
  });
  const hasOpened = (times) => ada.page.waitForFunction((most) => globalThis.seen.opened === most, times);
  await hasOpened(1);
  await ada.say('before');
  await ada.hears('Ada: before');
  process.kill(server.pid, 'SIGHUP');
  await hasOpened(2);
  const bob = await enter(server, 'Bob', 'lobby');
  await bob.say('after');
  await ada.page.waitForFunction(() => globalThis.seen.texts.includes('after'));
  assert.deepEqual(await ada.page.evaluate(() => globalThis.seen.texts), ['before', 'after']);
  await bob.leave();
  await ada.leave();
  await server.stop();
});

test('rooms: the page logs no error and violates no content security policy', () => {
  assert.deepEqual(complained, []);
});
