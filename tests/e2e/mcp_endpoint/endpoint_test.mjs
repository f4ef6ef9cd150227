// The endpoint for agents of a running server, judged by the client of the reference implementation.
// Usage: endpoint_test.mjs SERVER
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { unhurried } from '../support/sample_process.mjs';
import { startServer } from '../support/server_process.mjs';

const program = process.argv[2];
const require = createRequire(new URL('../../../tools/npm/', import.meta.url));
const sdk = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await sdk('client/index.js');
const { StreamableHTTPClientTransport } = await sdk('client/streamableHttp.js');
const { ToolSchema } = await sdk('types.js');

const folder = mkdtempSync(join(tmpdir(), 'fairway-mcp-endpoint-'));
mkdirSync(join(folder, 'config'));
writeFileSync(join(folder, 'config/default.json'), JSON.stringify({ server: unhurried }));
const server = await startServer(program, [], folder);
const clients = [];
after(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const url = new URL('/mcp', server.url);

async function session(headers = {}) {
  const client = new Client({ name: 'test', version: '1' });
  const errors = [];
  client.onerror = (error) => errors.push(error);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  clients.push(client);
  const { tools } = await client.listTools(); // it validates results with the output schemas from now on
  return { client, errors, tools, call: (name, args = {}) => client.callTool({ name, arguments: args }) };
}

const message = (name, args) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
const text = (result) => result.content[0].text;

test('mcp endpoint: the client of the SDK lists the tools and calls them', async () => {
  const { client, tools, call, errors } = await session();
  assert.equal(client.getServerVersion().name, 'mcp_endpoint_server');
  await client.ping();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), [
    'clearNotes',
    'createNote',
    'readNote',
    'test_audio_content',
    'test_error_handling',
    'test_image_content',
    'test_simple_text',
    'waitForClient',
    'waitLong',
  ]);
  for (const tool of tools) ToolSchema.parse(tool);
  const created = await call('createNote', { body: { text: 'Buy milk', tags: ['home'] } });
  assert.deepEqual(created.structuredContent.data, { id: 1, text: 'Buy milk', tags: ['home'] });
  const read = await call('readNote', { param: { id: 1 } });
  assert.deepEqual(read.structuredContent.data, created.structuredContent.data);
  const missing = await call('readNote', { param: { id: 9 } });
  assert.equal(missing.isError, true);
  assert.equal(JSON.parse(text(missing)).code, 'NOTE_NOT_FOUND');
  await assert.rejects(call('nothing'), { code: -32602 });
  assert.deepEqual(errors, []);
});

test('mcp endpoint: a body is text, an image or audio by its media type', async () => {
  const { call } = await session();
  const content = async (name) => (await call(name)).content[0];
  assert.deepEqual(await content('test_simple_text'), {
    type: 'text',
    text: 'This is a simple text response for testing.',
  });
  const image = await content('test_image_content');
  assert.deepEqual([image.type, image.mimeType], ['image', 'image/png']);
  assert.deepEqual([...Buffer.from(image.data, 'base64')], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const audio = await content('test_audio_content');
  assert.deepEqual([audio.type, audio.mimeType], ['audio', 'audio/wav']);
  assert.equal((await call('test_error_handling')).isError, true);
});

test('mcp endpoint: wrong arguments have the error of the route', async () => {
  const { call } = await session();
  const result = await call('createNote', { body: { text: '' } });
  const direct = await fetch(new URL('/notes', server.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: '' }),
  });
  assert.equal(direct.status, 422);
  assert.equal(result._meta.status, 422);
  assert.deepEqual(JSON.parse(text(result)).errors, (await direct.json()).errors);
});

test('mcp endpoint: a tool has the credentials of the client', async () => {
  const anonymous = await session();
  const denied = await anonymous.call('clearNotes');
  assert.deepEqual([denied.isError, denied._meta.status], [true, 401]);
  const known = await session({ authorization: 'Bearer good' });
  const cleared = await known.call('clearNotes');
  assert.deepEqual([cleared.isError, cleared._meta.status], [false, 204]);
});

test('mcp endpoint: a call ends at the deadline, while the handler is still running', async () => {
  const { call } = await session();
  const result = await call('waitLong');
  assert.deepEqual([result.isError, result._meta.status], [true, 504]);
  assert.equal((await fetch(new URL('/notes/late/release', server.url), { method: 'POST' })).status, 200);
});

test('mcp endpoint: a client that disconnects cancels the call', async () => {
  const abort = new AbortController();
  const sent = fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: message('waitForClient', {}),
    signal: abort.signal,
  });
  const count = async () => (await (await fetch(new URL('/notes/left/count', server.url))).json()).data;
  assert.equal(await count(), 0);
  await sleep(100);
  abort.abort();
  await assert.rejects(sent);
  while ((await count()) === 0) await sleep(20);
});

test('mcp endpoint: a client that has finished sending gets its result', async () => {
  const body = message('createNote', { body: { text: 'half' } });
  const { hostname, port } = new URL(server.url);
  const socket = connect({ host: hostname, port, allowHalfOpen: true });
  socket.end(
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  let response = '';
  for await (const part of socket) response += part;
  assert.match(response, /^HTTP\/1.1 200 /);
  assert.equal(JSON.parse(response.split('\r\n\r\n')[1]).result._meta.status, 201);
});
