// The client of a tree with everything: its types, and what it sends.
// Usage: node everything_test.mjs FAIRWAY INCLUDE_DIR
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { complaints, generate, load, makeFolder } from './support/compile.mjs';
import { Recorder } from './support/recorder.mjs';

const here = new URL('.', import.meta.url).pathname;
const [fairway, include] = process.argv.slice(2);
const folder = makeFolder();
const file = join(folder, 'everything.ts');
generate(fairway, include, join(here, 'src'), 'everything', file);
const { EverythingClient } = (await load(file)).exports;

test('typescript client: only valid calls compile, for browsers and for Node', () => {
  const calls = join(folder, 'calls.ts');
  copyFileSync(join(here, 'calls.ts'), calls);
  assert.equal(complaints([calls, file], 'browser'), '');
  assert.equal(complaints([calls, file], 'node'), '');
});

test('typescript client: descriptions cannot end a comment, and deprecation is declared', () => {
  const text = readFileSync(file, 'utf8');
  assert.match(text, /Read a part \*\\\/ globalThis\.broken/);
  assert.match(text, /Shown \*\\\/ to people/);
  assert.match(text, / \* \\@private second line/);
  assert.match(text, / \* @deprecated\n +\*\/\n +getPart\(/);
  assert.equal(globalThis.broken, undefined);
});

test('typescript client: the generated file imports nothing', () => {
  assert.doesNotMatch(readFileSync(file, 'utf8'), /^import |^export .* from |\brequire\(|import\(/m);
});

async function withRecorder(responses, use) {
  const recorder = await Recorder.start(responses);
  try {
    await use(new EverythingClient({ baseUrl: `${recorder.url}/v1/` }), recorder.requests);
  } finally {
    await recorder.stop();
  }
}

const data = (value, status = 200) => ({ status, body: JSON.stringify({ code: 0, data: value }) });

test('typescript client: parameters of every location arrive unchanged', async () => {
  await withRecorder([data({ id: 1 })], async (client, requests) => {
    const query = { 'sort-by': 'a b+c&d=é/?', state: 'open', tags: ['x,y', 'z'] };
    Object.defineProperty(query, '__proto__', { value: true, enumerable: true });
    const result = await client.getPart({
      path: { id: 7, part: "a/b %2F?#é'" },
      query,
      headers: { 'x-tenant': 't1', 'x-trace': undefined, 'x-labels': ['one', '2 3'] },
      cookies: { theme: 'dark;=' },
    });
    assert.deepEqual(result, { id: 1 });
    const [request] = requests;
    const url = new URL(request.url, 'http://x');
    assert.equal(request.url.split('?')[0], "/v1/api/things/7/parts/a%2Fb%20%252F%3F%23%C3%A9'");
    assert.deepEqual(
      [...url.searchParams],
      [
        ['sort-by', 'a b+c&d=é/?'],
        ['state', 'open'],
        ['tags', 'x,y'],
        ['tags', 'z'],
        ['__proto__', 'true'],
      ],
    );
    assert.equal(request.headers['x-tenant'], 't1');
    assert.equal(request.headers['x-trace'], undefined);
    assert.equal(request.headers['x-labels'], 'one, 2 3');
    assert.equal(request.headers.cookie, 'theme=dark%3B%3D');
  });
});

test('typescript client: cookie parameters in a browser are an error', async (context) => {
  const { Request } = globalThis;
  context.after(() => Object.assign(globalThis, { Request }));
  globalThis.Request = class extends Request {
    constructor(url) {
      super(url);
    }
  };
  await withRecorder([data({ id: 1 })], async (client, requests) => {
    const input = { path: { id: 7, part: 'a' }, query: { 'sort-by': 'a' }, headers: { 'x-tenant': 't' } };
    const error = { name: 'TypeError', message: /GET .*a browser does not send 'cookies'/ };
    await assert.rejects(client.getPart({ ...input, cookies: { theme: 'dark' } }), error);
    assert.equal(requests.length, 0);
    await client.getPart({ ...input, cookies: { theme: undefined } });
    assert.equal(requests.length, 1);
  });
});

test('typescript client: a list in a header is sent whole or not at all', async () => {
  await withRecorder([data({ id: 1 })], async (client, requests) => {
    const send = (labels) =>
      client.getPart({
        path: { id: 7, part: 'a' },
        query: { 'sort-by': 'a' },
        headers: { 'x-tenant': 't1', 'x-labels': labels },
      });
    for (const odd of ['a,b', '', ' a', 'a ']) {
      await assert.rejects(send(['first', odd]), {
        name: 'TypeError',
        message: `the list of the header 'x-labels' cannot have the value '${odd}'`,
      });
    }
    await send([]);
    assert.deepEqual(
      requests.map((request) => request.headers['x-labels']),
      [''],
    );
  });
});

test('typescript client: a wildcard parameter keeps its slashes and may be empty', async () => {
  await withRecorder([data(1), data(2)], async (client, requests) => {
    await client.getFile({ path: { path: 'a b/c%/ü.txt' } });
    await client.getRest({ path: { wildcard: '' } });
    assert.deepEqual(
      requests.map((request) => request.url),
      ['/v1/api/things/files/a%20b/c%25/%C3%BC.txt', '/v1/api/things/rest/'],
    );
  });
});

test('typescript client: a path parameter that would reach another operation is rejected', async () => {
  await withRecorder([], async (client, requests) => {
    for (const id of ['', '.', '..', undefined]) {
      await assert.rejects(client.headThing({ path: { id } }), TypeError);
    }
    await assert.rejects(client.getFile({ path: { path: 'a/../../admin' } }), TypeError);
    assert.equal(requests.length, 0);
  });
});

test('typescript client: request bodies are JSON, forms with files, or other media types', async () => {
  const responses = [data({ id: 1 }), data(null), data(null), data(null), data(null)];
  await withRecorder(responses, async (client, requests) => {
    const body = JSON.parse('{"name": "a", "sizes": [{"width": 1.5}], "__proto__": "p"}');
    assert.deepEqual(await client.putThing({ path: { id: '1' }, body }), {
      status: 200,
      data: { id: 1 },
    });
    await client.upload({
      path: { id: '1' },
      form: {
        photo: new File(['picture'], 'größe.png', { type: 'image/png' }),
        more: { data: new Blob(['more']), filename: 'more.txt' },
      },
    });
    await client.mixed({ path: { id: '1' }, body: { title: 't' } });
    await client.mixed({ path: { id: '1' }, form: { photo: new Blob(['b']) } });
    await client['import-things']({ body: 'a,b' });
    const types = requests.map((request) => request.headers['content-type'].split(';')[0]);
    assert.deepEqual(types, [
      'application/json',
      'multipart/form-data',
      'application/json',
      'multipart/form-data',
      'text/csv',
    ]);
    assert.equal(requests[0].body, '{"name":"a","sizes":[{"width":1.5}],"__proto__":"p"}');
    assert.match(requests[1].body, /name="photo"; filename="größe\.png"\r\nContent-Type: image\/png\r\n\r\npicture/);
    assert.match(requests[1].body, /name="more"; filename="more\.txt"[^]*\r\n\r\nmore\r\n/);
    assert.equal(requests[4].body, 'a,b');
  });
});

test('typescript client: responses have statuses, no body, text, bytes or events', async () => {
  const responses = [
    { status: 204 },
    data('later', 202),
    { status: 200, body: 'a,b' },
    { status: 200, body: Buffer.from([1, 2, 255]) },
    { status: 200, body: 'data: 1\n\n' },
    { status: 200 },
    data({ name: null, children: [] }),
  ];
  await withRecorder(responses, async (client) => {
    const put = { path: { id: '1' }, body: { name: 'a', sizes: [] } };
    assert.deepEqual(await client.putThing(put), { status: 204, data: undefined });
    assert.deepEqual(await client.putThing(put), { status: 202, data: 'later' });
    assert.equal(await client.getText(), 'a,b');
    const picture = await client.getPicture();
    assert.deepEqual([...new Uint8Array(await picture.arrayBuffer())], [1, 2, 255]);
    const events = await client.getEvents();
    assert.equal(await events.text(), 'data: 1\n\n');
    assert.equal(await client.headThing({ path: { id: '1' } }), undefined);
    assert.deepEqual(await client.getTree(), { name: null, children: [] });
  });
});

test('typescript client: a stream outlives the time limit, and an abort ends it', async () => {
  await withRecorder(['stream'], async (client) => {
    const controller = new AbortController();
    // A process that does not run for two seconds is late: then once more.
    let events;
    for (let times = 0; times < 20 && !events; times += 1) {
      events = await client.getEvents({}, { signal: controller.signal, timeout: 2000 }).catch((error) => {
        assert.equal(error.reason, 'timeout');
      });
    }
    const reader = events.body.getReader();
    assert.equal(new TextDecoder().decode((await reader.read()).value), 'data: 1\n\n');
    await sleep(2100);
    const next = reader.read();
    assert.equal(await Promise.race([next, sleep(100, 'waiting')]), 'waiting');
    controller.abort('enough');
    await assert.rejects(next, { name: 'TransportError', reason: 'aborted', cause: 'enough' });
  });
});

test('typescript client: the listener on a signal is removed when the body is read or cancelled', async () => {
  await withRecorder([{ status: 200, body: 'data: 1\n\n' }], async (client) => {
    const listeners = () => getEventListeners(signal, 'abort').length;
    const { signal } = new AbortController();
    const read = await client.getEvents({}, { signal });
    assert.equal(listeners(), 1);
    assert.equal(read.status, 200);
    assert.match(read.url, /^http:/);
    assert.equal(await read.text(), 'data: 1\n\n');
    assert.equal(listeners(), 0);
    const cancelled = await client.getEvents({}, { signal });
    await cancelled.body.cancel();
    assert.equal(listeners(), 0);
  });
});

test('typescript client: a client is not thenable and keeps its constructor', async () => {
  const client = new EverythingClient({ baseUrl: 'http://127.0.0.1:9' });
  assert.equal(await client, client);
  assert.equal(client.constructor, EverythingClient);
});
