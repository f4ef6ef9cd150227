// The recipes do what their pages say: each test runs the commands of its page, then tries what to look out for.
// Usage: recipes_test.mjs PROGRAM PAGES
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import test, { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { blocksOf } from '../../../tools/site/pages.mjs';
import { checkOutput, stepsOf } from '../../docs/console.mjs';
import { unhurried } from '../support/sample_process.mjs';
import { startPostgres } from '../support/postgres_process.mjs';
import { freePort, waitForPort } from '../support/server_process.mjs';

const [program, pages] = process.argv.slice(2);
const names = readdirSync(pages)
  .filter((name) => name.endsWith('.md') && name !== 'README.md')
  .map((name) => basename(name, '.md'));

const folder = mkdtempSync(join(tmpdir(), 'fairway-recipes-'));
const webhookSecret = 'whsec-0123456789';
const jwtSecret = 'the-old-secret';
const storageKeys = { access: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const noLimit = '600000'; // milliseconds: a busy machine meets no deadline
const settings = {
  FAIRWAY_APP_ADMIN_PASSWORD: 'correct horse',
  FAIRWAY_APP_JWT__SECRET: jwtSecret,
  FAIRWAY_APP_WEBHOOK_SECRET: webhookSecret,
  FAIRWAY_APP_STORAGE__ACCESS_KEY: storageKeys.access,
  FAIRWAY_APP_STORAGE__SECRET_KEY: storageKeys.secret,
  FAIRWAY_APP_MAIL__KEY: 'mail-key',
  FAIRWAY_APP_MAIL__RETRY_DELAY: '1',
  FAIRWAY_APP_MAIL__DRAIN_TIMEOUT: noLimit,
  FAIRWAY_APP_OVERVIEW__TIMEOUT: noLimit,
  FAIRWAY_APP_OVERVIEW__OPTIONAL_TIMEOUT: noLimit,
};
const postgres = startPostgres(); // undefined where none is installed
if (postgres) settings.FAIRWAY_APP_DATABASE_URL = postgres.url;
let port, adminPort, server, base;
let moved; // the process without an envelope, of the page about Drogon
let log = '';

// The other services, in one server: by the first segment of the path.
const handlers = {};
const services = createServer(async (req, res) => {
  const handler = handlers[new URL(req.url, 'http://other').pathname.split('/')[1]];
  if (handler) await handler(req, res);
  else res.writeHead(404).end();
});

/** A promise that a function resolves. */
function event() {
  let resolve;
  return { promise: new Promise((set) => (resolve = set)), resolve: (value) => resolve(value) };
}

/** The whole body of a request; nothing if its sender has gone. */
async function bodyOf(req) {
  const parts = [];
  try {
    for await (const part of req) parts.push(part);
  } catch {
    return undefined;
  }
  return Buffer.concat(parts);
}

// The addresses of the pages.
const here = (text) =>
  text
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
    .replaceAll('http://127.0.0.1:3001', moved?.url)
    .replaceAll('127.0.0.1:9000', `127.0.0.1:${services.address().port}`)
    .replaceAll('9464', adminPort);

/** The objects merged, the later ones first. */
function merge(...layers) {
  const merged = {};
  for (const layer of layers) {
    for (const [key, value] of Object.entries(layer)) {
      const isObject = (each) => typeof each === 'object' && each !== null && !Array.isArray(each);
      if (isObject(value) && isObject(merged[key])) merged[key] = merge(merged[key], value);
      else if (Array.isArray(value) && Array.isArray(merged[key])) merged[key] = [...merged[key], ...value];
      else merged[key] = value;
    }
  }
  return merged;
}

/** The configuration of a page: its first block of JSON. */
function configurationOf(name) {
  const block = blocksOf(join(pages, `${name}.md`)).find(({ language }) => language === 'json');
  return block ? JSON.parse(here(block.lines.join('\n'))) : {};
}

async function startProgram(number, environment = {}, profile = 'default') {
  const child = spawn(program, ['--host', '127.0.0.1', '--port', String(number), '--config', profile], {
    cwd: folder,
    env: { ...process.env, ...settings, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (log += text));
  const ended = new Promise((resolve) => child.on('exit', resolve));
  await waitForPort(number, child).catch((error) => {
    throw new Error(`no server: ${log}`, { cause: error });
  });
  return { child, ended };
}

before(async () => {
  await new Promise((resolve) => services.listen(0, '127.0.0.1', resolve));
  port = await freePort();
  adminPort = await freePort();
  base = `http://127.0.0.1:${port}`;
  mkdirSync(join(folder, 'config'));
  writeFileSync(
    join(folder, 'config/default.json'),
    JSON.stringify(
      merge(...names.map(configurationOf), {
        server: { ...unhurried, minDataRate: 0 },
        rateLimit: { max: 100_000 },
        admin: { host: '127.0.0.1' },
        shutdown: { timeout: Number(noLimit) },
        response: { wrap: true },
      }),
    ),
  );
  for (const { file, lines } of names.flatMap((name) => blocksOf(join(pages, `${name}.md`)))) {
    if (!file?.startsWith('db/')) continue;
    mkdirSync(join(folder, 'db'), { recursive: true });
    writeFileSync(join(folder, file), lines.join('\n'));
  }
  server = await startProgram(port);
  const { response } = configurationOf('drogon');
  moved = await startAnother({ FAIRWAY_APP_TODOS: 'moved.db' }, { response });
});

after(async () => {
  try {
    for (const each of [server, moved]) {
      each?.child.kill('SIGTERM');
      assert.equal(await each?.ended, 0, log);
    }
  } finally {
    postgres?.stop();
    services.closeAllConnections();
    services.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Runs the commands of a page in one shell. */
async function follow(name) {
  const steps = blocksOf(join(pages, `${name}.md`))
    .filter(({ language, directives }) => language === 'console' && !directives.tested)
    .flatMap(({ lines }) => stepsOf(lines));
  assert.ok(steps.length > 0, `${name}.md has no commands`);
  const script = steps.map(
    ({ command }) => `{ ${here(command)}\n} 2>&1 </dev/null; printf '\\nend-of-step %s\\n' "$?"`,
  );
  const env = { ...process.env, FAIRWAY_APP_DATABASE_URL: settings.FAIRWAY_APP_DATABASE_URL ?? '' };
  const shell = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  shell.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  const closed = new Promise((resolve) => shell.on('close', resolve));
  // Only where the output is not a terminal, curl shows its progress.
  shell.stdin.end(['curl() { command curl --silent --show-error "$@"; }', ...script, ''].join('\n'));
  await closed;
  const results = output.split(/\nend-of-step (\d+)\n/);
  for (const [index, { command, expected }] of steps.entries()) {
    assert.equal(results[2 * index + 1], '0', `${name}.md: ${command}\n${results[2 * index]}`);
    try {
      if (expected.length > 0) checkOutput(expected.map(here), results[2 * index]);
    } catch (error) {
      throw new Error(`${name}.md: ${command}: ${error.message}`, { cause: error });
    }
  }
}

/** Another process of the program, with its own listeners. */
async function startAnother(environment, configuration = {}) {
  const [number, admin] = [await freePort(), await freePort()];
  const profile = `second-${number}`;
  writeFileSync(join(folder, `config/${profile}.json`), JSON.stringify({ admin: { port: admin }, ...configuration }));
  const { child, ended } = await startProgram(number, environment, profile);
  return { url: `http://127.0.0.1:${number}`, admin: `http://127.0.0.1:${admin}`, child, ended };
}

const tested = [];
function recipe(name, details, skip = false) {
  tested.push(name);
  test(`recipes: ${name}`, { skip }, async () => {
    await follow(name);
    await details();
  });
}

/** Sends a request; returns the status, the whole body, and its data. */
async function send(method, path, { json, body, headers = {}, at = base, ...options } = {}) {
  const response = await fetch(at + path, {
    method,
    body: json === undefined ? body : JSON.stringify(json),
    headers: { ...(json === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...options,
  });
  const text = await response.text();
  const parsed = /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : null;
  return { status: response.status, headers: response.headers, text, code: parsed?.code, data: parsed?.data };
}

const statusesOf = (responses) => responses.map(({ status }) => status).sort();

recipe('crud', async () => {
  const contact = { name: 'Grace', email: 'grace@example.com' };
  const { data } = await send('POST', '/contacts', { json: contact });
  const path = `/contacts/${data.id}`;
  assert.deepEqual(await send('GET', path).then((response) => response.data), { ...contact, id: data.id, version: 1 });

  // Of clients that change one version at the same time, one succeeds.
  const changes = Array.from({ length: 8 }, (_, index) =>
    send('PUT', path, { json: { ...contact, name: `Grace ${index}`, version: 1 } }),
  );
  assert.deepEqual(statusesOf(await Promise.all(changes)), [200, ...Array(7).fill(409)]);
  assert.equal((await send('GET', path)).data.version, 2);

  const other = (await send('POST', '/contacts', { json: { name: 'Alan', email: 'alan@example.com' } })).data;
  assert.equal((await send('POST', '/contacts', { json: contact })).code, 'DUPLICATE_EMAIL');
  const duplicate = { ...contact, version: 1 };
  assert.equal((await send('PUT', `/contacts/${other.id}`, { json: duplicate })).code, 'DUPLICATE_EMAIL');

  const hostile = { name: "'); DROP TABLE contacts; --", email: 'robert@example.com' };
  const robert = await send('POST', '/contacts', { json: hostile });
  assert.equal(robert.data.name, hostile.name);
  assert.equal((await send('POST', '/contacts', { json: { name: '', email: 'nobody' } })).status, 422);

  assert.equal((await send('DELETE', path)).status, 204);
  assert.equal((await send('DELETE', path)).code, 'NO_CONTACT');
  assert.equal((await send('GET', path)).code, 'NO_CONTACT');
  assert.equal((await send('PUT', path, { json: duplicate })).code, 'NO_CONTACT');
});

const noPostgres = !postgres && 'there is no server of PostgreSQL: tools/setup.sh installs one';
recipe(
  'postgresql',
  async () => {
    const supplier = { name: 'Grace', email: 'grace@example.com' };
    const { data } = await send('POST', '/suppliers', { json: supplier });
    const path = `/suppliers/${data.id}`;
    assert.deepEqual((await send('GET', path)).data, { ...supplier, id: data.id, version: 1 });

    // Of clients that change one version at the same time, one succeeds; the others wait for its row.
    const changes = Array.from({ length: 8 }, (_, index) =>
      send('PUT', path, { json: { ...supplier, name: `Grace ${index}`, version: 1 } }),
    );
    assert.deepEqual(statusesOf(await Promise.all(changes)), [200, ...Array(7).fill(409)]);
    assert.equal((await send('GET', path)).data.version, 2);

    const other = (await send('POST', '/suppliers', { json: { name: 'Alan', email: 'alan@example.com' } })).data;
    assert.equal((await send('POST', '/suppliers', { json: supplier })).code, 'DUPLICATE_EMAIL');
    const duplicate = { ...supplier, version: 1 };
    assert.equal((await send('PUT', `/suppliers/${other.id}`, { json: duplicate })).code, 'DUPLICATE_EMAIL');
    const hostile = { name: "'); DROP TABLE suppliers; --", email: 'robert@example.com' };
    assert.equal((await send('POST', '/suppliers', { json: hostile })).data.name, hostile.name);

    assert.equal((await send('DELETE', path)).status, 204);
    assert.equal((await send('DELETE', path)).code, 'NO_SUPPLIER');
    assert.equal((await send('GET', path)).code, 'NO_SUPPLIER');
    assert.equal((await send('PUT', path, { json: duplicate })).code, 'NO_SUPPLIER');
  },
  noPostgres,
);

recipe('pagination', async () => {
  const add = (text) => send('POST', '/messages', { json: { text } });
  await Promise.all(Array.from({ length: 20 }, (_, index) => add(`message ${index}`)));
  const all = (await send('GET', '/messages?limit=100')).data.items;
  assert.ok(all.length >= 20);
  const seen = [];
  let next = '';
  do {
    const { data } = await send('GET', `/messages?limit=7${next && `&after=${next}`}`);
    seen.push(...data.items);
    next = data.next;
    await add('meanwhile'); // neither repeats nor skips an entry
  } while (next);
  assert.deepEqual(seen, all);
  const order = seen.map(({ sent, id }) => sent * 1e6 + id);
  assert.deepEqual(
    order,
    order.toSorted((a, b) => b - a),
  );

  // Exactly one page: there is no next one.
  const count = (await send('GET', '/messages?limit=100')).data.items.length;
  assert.equal((await send('GET', `/messages?limit=${count}`)).data.next, undefined);
  for (const cursor of ['10-', '-1-', '1-2x', '1.5-2', '99999999999999999999-1', '1-99999999999999999999']) {
    assert.equal((await send('GET', `/messages?after=${cursor}`)).code, 'BAD_CURSOR', cursor);
  }
  assert.equal((await send('GET', '/messages?limit=101')).status, 422);
});

const { WebSocket } = createRequire(new URL('../../../tools/npm/', import.meta.url))('ws');

/** What a stream sends for each row, until a condition on the last states holds. */
async function follows(path, isDone) {
  const states = {};
  const aborter = new AbortController();
  const { body } = await fetch(base + path, { signal: aborter.signal });
  let text = '';
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part;
    const events = text.split('\n\n');
    text = events.pop();
    for (const each of events) {
      const data = /^data: (.*)$/m.exec(each)?.[1];
      if (data === undefined) continue; // a heartbeat
      const { name, left } = JSON.parse(data);
      assert.ok(states[name] === undefined || left === states[name] - 1, `${name}: ${states[name]}, ${left}`);
      states[name] = left;
    }
    if (isDone(states)) break;
  }
  aborter.abort();
  return states;
}

recipe('live-list', async () => {
  // Clients connect while seats are taken: each gets a list and then each change, in the order of the changes.
  const clients = Array.from({ length: 10 }, () => follows('/seats/live', ({ A }) => A === 0));
  const taken = Array.from({ length: 25 }, () => send('POST', '/seats/A/reservations'));
  const more = Array.from({ length: 10 }, () => follows('/seats/live', ({ A }) => A === 0));
  const responses = await Promise.all(taken);
  assert.deepEqual(statusesOf(responses), [...Array(20).fill(201), ...Array(5).fill(409)]);
  const left = responses.filter(({ status }) => status === 201).map(({ data }) => data.left);
  assert.deepEqual(
    left.toSorted((a, b) => a - b),
    Array.from({ length: 20 }, (_, index) => index),
  );
  for (const states of await Promise.all([...clients, ...more])) assert.deepEqual(states, { A: 0, B: 19, C: 19 });
});

recipe('chat', async () => {
  const enter = async (room, name) => {
    const named = name && (await send('PUT', '/chat/name', { json: { name } }));
    const headers = named ? { Cookie: named.headers.get('set-cookie').split(';')[0] } : {};
    const socket = new WebSocket(`${base.replace('http', 'ws')}/chat/${room}`, { headers });
    const opened = event();
    const closed = event();
    const visitor = { socket, heard: [], closed: closed.promise };
    let wake = () => {};
    socket.on('message', (data) => {
      visitor.heard.push(JSON.parse(data));
      wake();
    });
    socket.on('open', () => opened.resolve());
    socket.on('unexpected-response', (_, response) => opened.resolve(response.statusCode));
    socket.on('error', () => {});
    socket.on('close', (code) => closed.resolve(code));
    visitor.status = await opened.promise;
    visitor.say = (text) => socket.send(JSON.stringify({ type: 'say', text }));
    visitor.hears = async (count) => {
      while (visitor.heard.length < count) await new Promise((resolve) => (wake = resolve));
      return visitor.heard.map(({ type, by, text }) => `${type} ${by}: ${text}`);
    };
    return visitor;
  };
  assert.equal((await enter('lobby')).status, 401);
  assert.equal((await enter('cellar', 'ada')).status, 400);

  const ada = await enter('lobby', 'ada');
  const bob = await enter('lobby', 'bob');
  const elsewhere = await enter('garden', 'eve');
  for (const each of ['one', 'two']) {
    ada.say(each);
    bob.say(each);
  }
  const heard = await ada.hears(4);
  assert.deepEqual(await bob.hears(4), heard);
  assert.deepEqual(heard.toSorted(), ['said ada: one', 'said ada: two', 'said bob: one', 'said bob: two']);
  // Who comes later gets what was said before, and then what is new, once.
  const late = await enter('lobby', 'lena');
  bob.say('three');
  assert.deepEqual(await late.hears(5), [...heard, 'said bob: three']);
  await ada.hears(5);
  assert.deepEqual(elsewhere.heard, []);

  for (let i = 0; i < 50; ++i) elsewhere.say('spam');
  assert.equal(await elsewhere.closed, 1008);
  for (const { socket } of [ada, bob, late]) socket.close();
});

recipe('feature-flags', async () => {
  const json = { user: 'admin', password: 'correct horse' };
  const { token } = (await send('POST', '/account/tokens', { json })).data;
  const set = (flag, percent) =>
    send('PUT', `/flags/${flag}`, { json: { percent }, headers: { Authorization: `Bearer ${token}` } });
  const users = Array.from({ length: 100 }, (_, index) => `user-${index}`);
  const on = async () => {
    const kinds = await Promise.all(users.map((user) => send('GET', `/checkout/${user}`)));
    return users.filter((_, index) => kinds[index].data.kind === 'new');
  };
  await set('new-checkout', 0);
  assert.deepEqual(await on(), []);
  await set('new-checkout', 30);
  const some = await on();
  assert.ok(some.length > 15 && some.length < 45, `${some.length} of 100`);
  await set('another', 100);
  assert.deepEqual(await on(), some);
  await set('new-checkout', 60);
  const more = await on();
  assert.ok(more.length > some.length && some.every((user) => more.includes(user)));
  assert.equal((await set('new-checkout', 101)).status, 422);
});

recipe('tokens', async () => {
  const signIn = (user, password) => send('POST', '/account/tokens', { json: { user, password } });
  const account = (token) => send('GET', '/account', { headers: { Authorization: `Bearer ${token}` } });
  const first = await signIn('admin', 'correct horse');
  const second = await signIn('admin', 'correct horse');
  assert.equal(first.headers.get('cache-control'), 'no-store');
  assert.notEqual(first.data.token, second.data.token);
  const wrong = await signIn('admin', 'wrong');
  const unknown = await signIn('nobody', 'wrong');
  assert.deepEqual([wrong.status, wrong.code, wrong.code], [401, 'SIGN_IN_FAILED', unknown.code]);
  assert.equal((await send('GET', '/account')).code, 'AUTH_REQUIRED');
  assert.equal((await account('x')).code, 'AUTH_INVALID');

  // One token is revoked, the other is not; the database has neither of them.
  const bearer = { headers: { Authorization: `Bearer ${first.data.token}` } };
  assert.equal((await send('DELETE', '/account/tokens/current', bearer)).status, 204);
  assert.equal((await account(first.data.token)).status, 401);
  assert.equal((await account(second.data.token)).data.user, 'admin');
  const database = readFileSync(join(folder, 'users.db'), 'latin1');
  assert.ok(database.includes('admin') && database.includes('$argon2'));
  assert.ok(!database.includes(second.data.token) && !database.includes('correct horse'));

  const more = await Promise.all(Array.from({ length: 10 }, () => signIn('nobody', 'wrong')));
  assert.ok(statusesOf(more).includes(429));
});

recipe('webhooks', async () => {
  const signature = (body, time = Math.floor(Date.now() / 1000), secret = webhookSecret) =>
    `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
  const post = (body, header) =>
    send('POST', '/webhooks/payments', {
      body,
      headers: { 'Content-Type': 'application/json', ...(header === undefined ? {} : { 'X-Signature': header }) },
    });
  const body = JSON.stringify({ id: 'evt_at_once', type: 'paid' });
  const now = Math.floor(Date.now() / 1000);
  const bad = [
    undefined,
    '',
    't=,v1=',
    `t=${now},v1=`,
    signature(body, now - 3600),
    signature(body, now + 3600),
    signature(body, now, 'another secret'),
    signature(`${body} `),
    signature(body).slice(0, -1),
    signature(body).toUpperCase(),
  ];
  for (const header of bad) assert.equal((await post(body, header)).code, 'BAD_SIGNATURE', header);

  const responses = await Promise.all(Array.from({ length: 8 }, () => post(body, signature(body))));
  assert.equal(responses.filter(({ data }) => data.accepted).length, 1);
  for (const text of ['{', '[]', '{"id": 1}', '']) assert.equal((await post(text, signature(text))).status, 400, text);
  const large = JSON.stringify({ id: 'x'.repeat(70_000) });
  assert.equal((await post(large, signature(large))).status, 413);
});

// The storage checks signatures as AWS describes it, by code of its own.
function signatureOf(method, url, fields) {
  const query = new URLSearchParams(url.search);
  const signed = query.get('X-Amz-SignedHeaders').split(';');
  const [, day, region] = query.get('X-Amz-Credential').split('/');
  const encode = (text) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`);
  const canonical = [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');
  const lines = signed.map((name) => `${name}:${fields[name]}\n`).join('');
  const text = [method, url.pathname, canonical, lines, signed.join(';'), 'UNSIGNED-PAYLOAD'].join('\n');
  const hmac = (key, part) => createHmac('sha256', key).update(part).digest();
  const key = [day, region, 's3', 'aws4_request'].reduce(hmac, `AWS4${storageKeys.secret}`);
  const digest = createHash('sha256').update(text).digest('hex');
  const toSign = `AWS4-HMAC-SHA256\n${query.get('X-Amz-Date')}\n${day}/${region}/s3/aws4_request\n${digest}`;
  return hmac(key, toSign).toString('hex');
}

/** Seconds since 1970 of 20240131T235959Z. */
const secondsOf = (date) => Date.parse(date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5')) / 1000;

const storage = { objects: new Map(), status: 200, aborted() {}, begins() {} };
handlers.uploads = async (req, res) => {
  storage.begins();
  const url = new URL(req.url, `http://${req.headers.host}`);
  const body = await bodyOf(req);
  if (body === undefined) return storage.aborted();
  const isRight = signatureOf(req.method, url, req.headers) === url.searchParams.get('X-Amz-Signature');
  if (!isRight) return res.writeHead(403).end();
  if (storage.status !== 200) return res.writeHead(storage.status).end();
  if (req.method === 'PUT' && req.headers['content-length'] === undefined) return res.writeHead(411).end();
  if (req.method === 'PUT') storage.objects.set(url.pathname, body);
  else if (!storage.objects.has(url.pathname)) return res.writeHead(404).end();
  res.end(req.method === 'PUT' ? '' : storage.objects.get(url.pathname));
};

recipe('object-storage', async () => {
  const aborted = event();
  Object.assign(storage, { aborted: aborted.resolve });
  const sizeBefore = storage.objects.size;

  // The size and the key are signed.
  const { url } = (await send('POST', '/files', { json: { size: 4 } })).data;
  const put = (target, body) => fetch(target, { method: 'PUT', body }).then(({ status }) => status);
  assert.equal(await put(url, 'more than four'), 403);
  assert.equal(await put(url.replace('/uploads/', '/uploads/a'), 'four'), 403);
  assert.equal(await put(url.replace('X-Amz-Expires=300', 'X-Amz-Expires=3000'), 'four'), 403);
  assert.equal(storage.objects.size, sizeBefore);
  assert.equal(await put(url, 'four'), 200);
  assert.equal((await send('POST', '/files', { json: { size: 0 } })).status, 422);
  const expires = new URL(url).searchParams;
  assert.ok(Math.abs(secondsOf(expires.get('X-Amz-Date')) - Date.now() / 1000) < 600);

  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('some bytes'));
      controller.close();
    },
  });
  assert.equal((await send('PUT', '/files', { body: stream, duplex: 'half' })).status, 411);
  assert.equal((await send('GET', '/files/..%2F..%2Fother%2Fbucket%2Faaaaaaaaaaaaa')).status, 404);

  storage.status = 500;
  assert.equal((await send('PUT', '/files', { body: 'content' })).code, 'STORAGE_FAILED');
  storage.status = 200;

  // A client that disconnects leaves nothing.
  const stored = storage.objects.size;
  const upload = request(`${base}/files`, { method: 'PUT', headers: { 'Content-Length': 1_000_000 } });
  upload.on('error', () => {});
  const arrives = event();
  storage.begins = arrives.resolve;
  upload.write('x'.repeat(100_000));
  await arrives.promise;
  upload.destroy();
  await aborted.promise;
  assert.equal(storage.objects.size, stored);
});

test('recipes: the storage computes the signature of the example of AWS', () => {
  const url = new URL(
    'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
      '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
      '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host',
  );
  assert.equal(
    signatureOf('GET', url, { host: url.host }),
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

// The mail service: the test decides about each response.
const mails = { arrived: [], waiting: [] };
handlers.mails = async (req, res) => {
  const mail = {
    ...JSON.parse(await bodyOf(req)),
    key: req.headers['idempotency-key'],
    authorization: req.headers.authorization,
    respond: (status) => res.writeHead(status).end(),
  };
  const waiting = mails.waiting.shift();
  if (waiting) waiting(mail);
  else mails.arrived.push(mail);
};
const nextMail = () => mails.arrived.shift() ?? new Promise((resolve) => mails.waiting.push(resolve));

recipe('background-mail', async () => {
  const first = await nextMail();
  assert.equal(first.to, 'ada@example.com');
  assert.equal(first.authorization, 'Bearer mail-key');
  first.respond(500);
  const again = await nextMail();
  assert.deepEqual([again.key, again.to], [first.key, first.to]);
  again.respond(200);

  // What the mail service rejects is not sent again.
  const invite = (email, at) => send('POST', '/invitations', { json: { email }, at });
  await invite('rejected@example.com');
  (await nextMail()).respond(400);
  await invite('next@example.com');
  const next = await nextMail();
  assert.equal(next.to, 'next@example.com');
  next.respond(200);

  // One mail is on its way and two are waiting: there is no room for a fourth. A stop sends the three.
  const { url: at, child, ended } = await startAnother({ FAIRWAY_APP_MAIL__QUEUE: '2' });
  assert.equal((await invite('one@example.com', at)).status, 202);
  const one = await nextMail();
  assert.equal((await invite('two@example.com', at)).status, 202);
  assert.equal((await invite('three@example.com', at)).status, 202);
  const full = await invite('four@example.com', at);
  assert.deepEqual([full.status, full.code, full.headers.get('retry-after')], [503, 'MAIL_QUEUE_FULL', '30']);
  child.kill('SIGTERM');
  while (!log.includes('the last mails are sent')) await sleep(10);
  one.respond(503);
  for (const name of ['one', 'two', 'three']) {
    const lost = ended.then(() => assert.fail(`the process has ended without the mail to ${name}`));
    const mail = await Promise.race([nextMail(), lost]);
    assert.equal(mail.to, `${name}@example.com`);
    mail.respond(200);
  }
  assert.equal(await ended, 0, log);
});

recipe('tenants', async () => {
  const to = (host, path, body) =>
    new Promise((resolve, reject) => {
      const headers = { Host: host, ...(body ? { 'Content-Type': 'application/json' } : {}) };
      const sent = request(base + path, { method: body ? 'POST' : 'GET', headers }, async (res) => {
        const { data } = JSON.parse(await bodyOf(res));
        resolve({ status: res.statusCode, data, cache: res.headers['x-cache'] });
      });
      sent.on('error', reject).end(body && JSON.stringify(body));
    });
  const namesOf = ({ data, cache }) => [cache, ...data.map(({ name }) => name)];
  await to('globex.example.com', '/projects', { name: 'Laser' });
  assert.deepEqual(namesOf(await to('acme.example.com', '/projects')), ['MISS', 'Rocket']);
  assert.deepEqual(namesOf(await to('globex.example.com', '/projects')), ['MISS', 'Laser']);
  for (const host of ['acme.example.com', 'ACME.Example.com', 'acme.example.com:8080']) {
    assert.deepEqual(namesOf(await to(host, '/projects')).slice(1), ['Rocket'], host);
  }
  assert.deepEqual(namesOf(await to('acme.example.com', '/projects')), ['HIT', 'Rocket']);
  assert.deepEqual(namesOf(await to('globex.example.com', '/projects')), ['HIT', 'Laser']);
  assert.equal((await to('globex.example.com', '/projects/2')).data.name, 'Laser');
  assert.equal((await to('acme.example.com', '/projects/2')).status, 404);
  for (const host of ['example.com', 'x.acme.example.com', 'acmeexample.com', 'acme.example.com.evil.org']) {
    assert.equal((await to(host, '/projects')).status, 404, host);
  }
});

// Services of the overview: `behaviour` of a path replaces the usual response.
const behaviour = {};
for (const [name, data] of Object.entries({ customers: { name: 'Ada' }, orders: [{ id: 1 }], recommendations: [] })) {
  handlers[name] = (req, res) => (behaviour[req.url] ?? ((_, to) => to.end(JSON.stringify(data))))(req, res);
}
const broken = (_, res) => res.writeHead(500).end();
behaviour['/recommendations?customer=7'] = broken;
behaviour['/customers/8'] = broken;

recipe('fan-out', async () => {
  assert.deepEqual((await send('GET', '/overview/9')).data.missing, []);

  // All calls are there before one has its response.
  const arrived = [];
  for (const path of ['/customers/10', '/orders?customer=10', '/recommendations?customer=10']) {
    behaviour[path] = (_, res) => {
      arrived.push(res);
      if (arrived.length === 3) for (const each of arrived) each.end('{}');
    };
  }
  assert.deepEqual((await send('GET', '/overview/10')).data.missing, []);

  behaviour['/orders?customer=11'] = (_, res) => res.end('no JSON');
  behaviour['/recommendations?customer=11'] = (_, res) => res.end(JSON.stringify('x'.repeat(2_000_000)));
  assert.deepEqual((await send('GET', '/overview/11')).data.missing, ['orders', 'recommendations']);

  // A service that never responds costs its deadline, and not the page.
  behaviour['/orders?customer=12'] = () => {};
  const { url, child, ended } = await startAnother({ FAIRWAY_APP_OVERVIEW__OPTIONAL_TIMEOUT: '50' });
  const { status, data } = await send('GET', '/overview/12', { at: url });
  assert.equal(status, 200);
  assert.deepEqual([data.customer, data.orders, data.missing[0]], [{ name: 'Ada' }, null, 'orders']);
  child.kill('SIGTERM');
  assert.equal(await ended, 0, log);
});

recipe('bulk-import', async () => {
  const sendLines = (body, options) =>
    send('POST', '/imports/contacts', { body, headers: { 'Content-Type': 'application/x-ndjson' }, ...options });
  const line = (name) => JSON.stringify({ name, email: `${name}@import.example` });
  const lines = [
    line('first'),
    '',
    'no JSON',
    '[]',
    JSON.stringify({ name: 'x', email: 'no address' }),
    JSON.stringify({ name: '', email: 'nobody@import.example' }),
    line('x'.repeat(70_000)),
    '['.repeat(60_000),
    line('last'),
  ];
  const { data } = await sendLines(lines.join('\n')); // the last line needs no line end
  assert.deepEqual([data.accepted, data.rejected], [2, 6]);
  assert.deepEqual(
    data.errors.map(({ line: number }) => number),
    [3, 4, 5, 6, 7, 8],
  );
  assert.equal(data.errors[4].message, 'the line is too long');
  const many = (await sendLines('wrong\n'.repeat(250))).data;
  assert.deepEqual([many.rejected, many.errors.length], [250, 100]);
  assert.deepEqual((await sendLines('')).data, { accepted: 0, rejected: 0, errors: [] });

  // Lines are imported while the body arrives, in parts of any size.
  const known = Buffer.from(`${line('early')}\n`);
  const rest = event();
  const stream = new ReadableStream({
    async start(controller) {
      for (const byte of known) controller.enqueue(Uint8Array.of(byte));
      controller.enqueue(Buffer.from(line('late').slice(0, 9)));
      await rest.promise;
      controller.enqueue(Buffer.from(line('late').slice(9)));
      controller.close();
    },
  });
  const before = (await send('POST', '/contacts', { json: JSON.parse(line('before')) })).data;
  const response = sendLines(stream, { duplex: 'half' });
  while ((await send('GET', `/contacts/${before.id + 1}`)).data?.name !== 'early') await sleep(10);
  rest.resolve();
  assert.equal((await response).data.accepted, 2);
});

recipe('kubernetes', async () => {
  const { url, admin, child, ended } = await startAnother({ FAIRWAY_APP_CONTACTS: 'health.db' });
  const probe = async (path) => {
    const token = configurationOf('kubernetes').admin.token;
    const response = await fetch(admin + path, { headers: { Authorization: `Bearer ${token}` } });
    return { status: response.status, body: await response.json().catch(() => null) };
  };
  assert.equal((await probe('/readyz')).status, 200);

  // Without its database, the process is not ready, but lives.
  writeFileSync(join(folder, 'health.db'), 'no database '.repeat(1000));
  assert.deepEqual(await probe('/readyz'), {
    status: 503,
    body: { status: 'failing', checks: { contacts: 'failed' } },
  });
  assert.equal((await probe('/livez')).status, 200);

  // A request that is running when the stop begins is completed.
  const arrived = event();
  behaviour['/customers/13'] = (_, res) => arrived.resolve(res);
  const running = send('GET', '/overview/13', { at: url });
  const upstream = await arrived.promise;
  child.kill('SIGTERM');
  let state;
  do state = (await probe('/readyz')).body.status;
  while (state === 'failing');
  assert.equal(state, 'stopping');
  upstream.end('{"name": "Ada"}');
  assert.equal((await running).status, 200);
  assert.equal(await ended, 0, log);
});

recipe('versions', async () => {
  const old = await send('GET', '/v1/prices/coffee');
  assert.deepEqual([old.status, old.headers.get('sunset')], [404, 'Thu, 31 Dec 2026 23:59:59 GMT']);
  assert.match(old.headers.get('link'), /^<https:\/\/api\.example\.com\/docs\/v2>; rel="successor-version"$/);
  await send('PUT', '/v2/prices/coffee', { json: { cents: 1999, currency: 'EUR' } });
  assert.deepEqual((await send('GET', '/v1/prices/coffee')).data, { euros: 19.99 });
  const current = await send('GET', '/v2/prices/coffee');
  assert.deepEqual(current.data, { cents: 1999, currency: 'EUR' });
  assert.equal(current.headers.get('deprecation'), null);
});

recipe('drogon', async () => {
  const at = moved.url;
  const call = async (method, path, { token, ...options } = {}) => {
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const { status, text } = await send(method, `/api/v1${path}`, { at, headers, ...options });
    return [status, JSON.parse(text)];
  };
  const failure = (message) => ({ success: false, message });
  const signUp = async (name) => {
    const json = { name, email: `${name}@example.com`, password: 'secret' };
    const [status, body] = await call('POST', '/User/signup', { json });
    assert.equal(status, 201);
    return body.data;
  };

  // Tokens of the old program are valid, and of nobody else: what jwt-cpp makes has these parts.
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = (claims, head = {}, secret = jwtSecret) => {
    const content = `${part({ alg: 'HS256', typ: 'JWS', ...head })}.${part(claims)}`;
    return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`;
  };
  const claims = { email: 'old@example.com', exp: Date.now() / 1000 + 60, iss: 'suryansh', userId: '77' };
  claims.exp = Math.floor(claims.exp);
  const profile = (token) => call('GET', '/User/profile', { token });
  assert.deepEqual((await profile(signed(claims)))[1].data, { userId: '77' });
  const wrong = [
    signed(claims, {}, 'another secret'),
    signed({ ...claims, exp: claims.exp - 120 }),
    signed({ ...claims, iss: 'another' }),
    signed(claims, { alg: 'none' }),
    `${part({ alg: 'none' })}.${part(claims)}.`,
    signed(claims).replace(/\.[^.]*\./, `.${part({ ...claims, userId: '1' })}.`),
    'x',
    '..',
    'a.b',
  ];
  for (const token of wrong) assert.deepEqual(await profile(token), [401, failure('Unauthorised')], token);
  assert.deepEqual(await profile(), [401, failure('token not found!')]);
  const made = (await signUp('grace')).token.split('.').map((each) => Buffer.from(each, 'base64url').toString());
  assert.deepEqual(JSON.parse(made[0]), { alg: 'HS256', typ: 'JWS' });
  const { exp, ...others } = JSON.parse(made[1]);
  assert.deepEqual([others.email, others.iss], ['grace@example.com', 'suryansh']);
  assert.ok(Math.abs(exp - Date.now() / 1000 - 86400) < 600);

  // The statuses and texts of users.
  const logIn = (email, password) => call('POST', '/User/login', { json: { email, password } });
  assert.equal((await logIn('grace@example.com', 'secret'))[1].message, 'login successful');
  assert.deepEqual(await logIn('grace@example.com', 'Secret'), [500, failure('Password is incorrect')]);
  assert.deepEqual(await logIn('nobody@example.com', 'secret'), [500, failure('User not found!')]);
  const again = await call('POST', '/User/signup', { json: { name: 'x', email: 'grace@example.com', password: 'x' } });
  assert.deepEqual([again[0], again[1].success], [500, false]);
  assert.equal((await call('POST', '/User/signup', { json: { name: 'x' } }))[0], 400);
  // Hashes are bcrypt, as in the old table.
  assert.match(readFileSync(join(folder, 'moved.db'), 'latin1'), /\$2b\$10\$[./\w]{53}/);

  // A task belongs to its user.
  const [ada, alan] = [(await signUp('ada2')).token, (await signUp('alan')).token];
  const json = { title: 'Write', completed: false };
  const [status, created] = await call('POST', '/todos/create', { json, token: ada });
  const { id } = created.data;
  assert.deepEqual([status, created.data], [201, { id, ...json }]);
  const changed = { title: 'Read', completed: true };
  for (const [token, get, put, list] of [
    [alan, [400, failure('Todo not found')], [404, failure('Todo not found: 0 rows found')], []],
    [ada, [200, 'todo fectched successfully'], [200, 'Updated successfully'], [{ id, ...changed }]],
  ]) {
    const summary = ([code, body]) => [code, body.success ? body.message : body];
    assert.deepEqual(summary(await call('GET', `/todos/${id}`, { token })), get);
    assert.deepEqual(summary(await call('PUT', `/todos/update/${id}`, { json: changed, token })), put);
    assert.deepEqual((await call('GET', '/todos/getAll', { token }))[1].data, list);
    assert.deepEqual((await call('GET', '/todos/getAll/false', { token }))[1].data, []);
  }
  assert.deepEqual(
    await call('POST', '/todos/create', { json: { title: 'x' }, token: ada }).then(([code]) => code),
    400,
  );
  const remove = (token) => call('DELETE', `/todos/delete/${id}`, { token });
  assert.deepEqual(await remove(alan), [400, failure('Error in deletion')]);
  assert.equal((await remove(ada))[0], 200);
  assert.deepEqual(await remove(ada), [400, failure('Error in deletion')]);
  for (const [method, path] of [
    ['POST', '/todos/create'],
    ['GET', '/todos/getAll'],
    ['GET', '/todos/getAll/true'],
    ['GET', '/todos/1'],
    ['PUT', '/todos/update/1'],
    ['DELETE', '/todos/delete/1'],
  ]) {
    assert.equal((await call(method, path, { json: method === 'GET' ? undefined : changed }))[0], 401, path);
  }

  const preflight = { Origin: 'https://app.example', 'Access-Control-Request-Method': 'PUT' };
  const { headers } = await send('OPTIONS', '/api/v1/todos/update/1', { at, headers: preflight });
  assert.equal(headers.get('access-control-allow-origin'), '*');
  assert.equal(headers.get('access-control-max-age'), '86400');
});

test('recipes: each page has a test, and the index lists it', () => {
  assert.deepEqual(tested.toSorted(), names.toSorted());
  const index = readFileSync(join(pages, 'README.md'), 'utf8');
  for (const name of names) assert.ok(index.includes(`(${name}.md)`), name);
});
