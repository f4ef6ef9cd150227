// The server of the Model Context Protocol, judged by the client of its reference implementation.
// Usage: mcp_test.mjs FAIRWAY INCLUDE_DIR SOURCE_DIR
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { projectArguments } from '../lsp/client.mjs';

const [fairway, include, source] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(new URL('../../../tools/npm/', import.meta.url));
const sdk = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await sdk('client/index.js');
const { StdioClientTransport } = await sdk('client/stdio.js');
const { ToolSchema } = await sdk('types.js');

const here = dirname(fileURLToPath(import.meta.url));
const app = join(here, '../lsp/app');
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'fairway-mcp-')));
const project = projectArguments(scratch, include);
const version = execFileSync(fairway, ['--version'], { encoding: 'utf8' }).split(/\s/)[1];
/** On a busy machine, the first analysis takes minutes. */
const patience = { timeout: 600_000, maxTotalTimeout: 600_000 };

const clients = [];
after(async () => {
  await Promise.all(clients.map((client) => client.close()));
  rmSync(scratch, { recursive: true, force: true });
});

/** A copy of the application, with a server that the SDK's client has started. */
async function session(name, ...more) {
  const folder = join(scratch, name);
  cpSync(app, folder, { recursive: true });
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({
    command: fairway,
    args: ['mcp', ...project, ...more],
    cwd: folder,
    env: { ...process.env },
    stderr: 'inherit',
  });
  const errors = [];
  client.onerror = (error) => errors.push(error);
  await client.connect(transport, patience);
  clients.push(client);
  const route = join(folder, 'src/routes/notes.cpp');
  return {
    client,
    errors,
    folder,
    pid: transport.pid,
    edit: (from, to) =>
      writeFileSync(
        route,
        readFileSync(route, 'utf8').replace(from, () => to),
      ),
    call: (tool, args = {}, options = {}) =>
      client.callTool({ name: tool, arguments: args }, undefined, { ...patience, ...options }),
  };
}

const text = (result) => result.content[0].text;
const ids = (result) => result.structuredContent.diagnostics.map((each) => each.id);

/** A program that keeps the requests that it gets. */
async function program(respond) {
  const requests = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url, headers } = request;
    requests.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
    respond(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  return { requests, url: `http://127.0.0.1:${server.address().port}` };
}

test('mcp: the client of the SDK lists the tools and gets what the commands print', async () => {
  const { client, call, folder, errors } = await session('tools');
  assert.deepEqual(client.getServerVersion(), { name: 'fairway', title: 'Fairway', version });
  const { tools } = await client.listTools(); // it validates results with the output schemas from now on
  assert.deepEqual(
    tools.map((tool) => tool.name),
    ['routes', 'diagnostics', 'explain', 'openapi'],
  );
  for (const tool of tools) ToolSchema.parse(tool);
  await client.ping();

  const printed = (...words) =>
    execFileSync(fairway, [words[0], ...project, ...words.slice(1)], { cwd: folder, encoding: 'utf8' });
  const routes = await call('routes');
  assert.deepEqual(routes.structuredContent, JSON.parse(printed('routes', '--format', 'json')));
  assert.deepEqual(JSON.parse(text(routes)), routes.structuredContent);
  assert.deepEqual(
    (await call('routes', { path: '/notes/7', method: 'GET' })).structuredContent.routes.map((row) => row.operation_id),
    ['getNote'],
  );
  assert.deepEqual(
    (await call('diagnostics')).structuredContent,
    JSON.parse(printed('doctor', '--diagnostics-format', 'json')),
  );
  const document = JSON.parse(printed('openapi'));
  const { structuredContent: one } = await call('openapi', { operation: 'getNote' });
  assert.deepEqual(one.operation, document.paths['/notes/{id}'].get);
  const { structuredContent: rule } = await call('explain', { rule: 'bad-schema' });
  const explained = printed('doctor', '--explain', 'bad-schema');
  for (const part of [rule.rule, rule.explanation, rule.example]) assert.ok(explained.includes(part));
  await assert.rejects(call('call', { method: 'GET', path: '/notes/7' }), { code: -32602 });
  await assert.rejects(call('routes', { path: 7 }), { code: -32602 });
  assert.deepEqual(errors, []);
});

test('mcp: edits between two calls are seen, also while the routes have errors', async () => {
  const { call, edit } = await session('edits');
  assert.deepEqual(ids(await call('diagnostics', { severity: 'error' })), []);
  edit('integer:1-', 'integr:1-');
  const { structuredContent: report } = await call('diagnostics', { severity: 'error' });
  assert.equal(report.ok, false);
  const [found] = report.diagnostics;
  assert.deepEqual([found.id, found.line, found.help], ['bad-schema', 6, "did you mean 'integer'?"]);
  const routes = await call('routes');
  assert.equal(routes.isError, true);
  assert.equal(text(routes), "the routes have 1 error: the tool 'diagnostics' lists them");
  assert.equal((await call('openapi')).isError, true);
  edit('integr:1-', 'integer:1-');
  assert.equal((await call('routes')).structuredContent.routes.length, 2);
  edit('"/:id"', '"/by-id/:id"');
  assert.equal((await call('routes')).structuredContent.routes[0].path, '/notes/by-id/:id');
});

test('mcp: a text that crashes Clang ends one call', async () => {
  const { client, call, edit } = await session('crash');
  edit('#include', '#pragma clang __debug crash\n#include');
  const crashed = await call('diagnostics');
  assert.equal(crashed.isError, true);
  assert.match(text(crashed), /^the analysis has ended with signal \d+/);
  await client.ping();
  edit('#pragma clang __debug crash\n', '');
  assert.equal((await call('diagnostics')).structuredContent.ok, true);
});

test('mcp: a cancelled call rejects, and the session continues', async () => {
  const { call } = await session('cancelled');
  const cancel = new AbortController();
  const running = call('diagnostics', {}, { signal: cancel.signal });
  cancel.abort('enough');
  await assert.rejects(running, /enough/);
  assert.equal((await call('diagnostics')).structuredContent.ok, true);
});

test('mcp: requests reach the program as the caller wrote them', async () => {
  const { requests, url } = await program((request, response) => {
    if (request.url.startsWith('/notes/1')) {
      response.writeHead(302, { location: '/elsewhere', 'set-cookie': 'session=secret' });
      response.end('moved');
    } else if (request.url === '/notes/2') {
      response.end('ä'.repeat(200_000));
    } else if (request.url === '/notes/3') {
      response.end(Buffer.from([0xff, 0xfe]));
    } else if (request.url === '/notes/4') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n'); // without an end
    } else {
      response.writeHead(422, { 'content-type': 'application/json' });
      response.end('{"error":"no"}');
    }
  });
  const { client, call } = await session('requests', '--url', url);
  const { tools } = await client.listTools();
  assert.equal(tools.at(-1).name, 'call');

  const { structuredContent: moved } = await call('call', { method: 'GET', path: '/notes/1?a=b' });
  assert.deepEqual([moved.status, moved.body, moved.body_is_complete], [302, 'moved', true]);
  assert.ok(moved.headers.some(({ name, value }) => name.toLowerCase() === 'location' && value === '/elsewhere'));
  assert.equal(requests.length, 1); // redirects are not followed
  assert.deepEqual([requests[0].method, requests[0].url, requests[0].body], ['GET', '/notes/1?a=b', '']);

  const { structuredContent: rejected, isError } = await call('call', {
    method: 'POST',
    path: '/notes',
    headers: { 'X-Trace': 'mine' },
    body: { text: 'ü' },
  });
  assert.deepEqual([rejected.status, rejected.body, isError], [422, '{"error":"no"}', false]);
  const { headers, body } = requests[1];
  assert.equal(body, '{"text":"ü"}');
  assert.equal(headers['x-trace'], 'mine');
  assert.equal(headers['content-type'], 'application/json');
  for (const name of ['authorization', 'cookie', 'proxy-authorization']) assert.ok(!(name in headers), name);

  await call('call', { method: 'POST', path: '/notes', headers: { 'content-type': 'text/plain' }, body: '{}' });
  assert.deepEqual([requests[2].headers['content-type'], requests[2].body], ['text/plain', '{}']);

  const { structuredContent: long } = await call('call', { method: 'GET', path: '/notes/2' });
  assert.deepEqual([long.body_is_complete, long.body_is_text, long.body.length], [false, true, 128 * 1024]);
  const { structuredContent: binary } = await call('call', { method: 'GET', path: '/notes/3' });
  assert.deepEqual([binary.body_is_text, binary.body], [false, '']);
  const { structuredContent: stream } = await call('call', { method: 'GET', path: '/notes/4' });
  assert.deepEqual([stream.status, stream.body_is_complete, stream.body], [200, false, '']);

  const count = requests.length;
  for (const [request, message] of [
    [{ method: 'GET', path: '/other' }, "no route serves '/other': the tool 'routes' lists the routes"],
    [{ method: 'DELETE', path: '/notes/7' }, /^no route serves DELETE '\/notes\/7', only GET/],
    [{ method: 'GET', path: 'http://example.org/' }, /^'path' must begin with '\/'/],
    [{ method: 'GET', path: '/notes/7', headers: { Connection: 'close' } }, /^the header 'Connection' cannot be given/],
  ]) {
    const refused = await call('call', request);
    assert.equal(refused.isError, true);
    assert.match(text(refused), message instanceof RegExp ? message : new RegExp(`^${message}$`));
  }
  assert.equal(requests.length, count);
});

test('mcp: the last requests are those that fairway dev keeps', async () => {
  const rows = [
    { id: 1, method: 'GET', target: '/notes/1', status: 200, route: '/notes/:id', trace: 'a', duration: 1 },
    { id: 2, method: 'GET', target: '/notes/2', status: 500, route: '/notes/:id', trace: 'b', duration: 2 },
  ];
  const { requests, url } = await program((request, response) => {
    const path = '/.fairway/dev/requests';
    if (request.url.startsWith(`${path}/rows?`)) {
      response.end(JSON.stringify({ version: 7, reset: true, oldest: 1, requests: rows }));
    } else if (request.url === `${path}/2`) {
      response.end(JSON.stringify({ ...rows[1], request: {}, response: null, spans: [{ name: 'handler' }] }));
    } else {
      response.writeHead(404).end('{"code":404,"message":"the request is not known any more"}');
    }
  });
  const { client, call } = await session('history', '--url', url);
  await client.listTools();
  const ids = (result) => result.structuredContent.requests.map((row) => row.id);
  assert.deepEqual(ids(await call('requests')), [2, 1]);
  assert.deepEqual(ids(await call('requests', { errors: true })), [2]);
  assert.deepEqual(ids(await call('requests', { trace: 'a', route: 'notes' })), [1]);
  assert.match(requests[0].url, /rows\?after=18446744073709551615$/);
  assert.deepEqual((await call('trace', { id: 2 })).structuredContent.spans, [{ name: 'handler' }]);
  assert.equal(text(await call('trace', { id: 9 })), "'fairway dev' does not know this request any more");
  await assert.rejects(call('requests', { limit: 101 }), { code: -32602 });
});

test('mcp: a program without fairway dev has no last requests', async () => {
  const { url } = await program((request, response) => response.writeHead(404).end('not found'));
  const { call } = await session('no_history', '--url', url);
  const result = await call('requests');
  assert.equal(result.isError, true);
  assert.match(text(result), /^there is no page of requests at .* \(status 404\): only 'fairway dev' has it/);
});

test('mcp: a program that is not running is an error that says so', async () => {
  const { call } = await session('closed', '--url', 'http://127.0.0.1:1');
  const result = await call('call', { method: 'GET', path: '/notes/7' });
  assert.equal(result.isError, true);
  assert.match(text(result), /^no response from http:\/\/127\.0\.0\.1:1 \(.*\): is the program running there\?$/);
});

test('mcp: only programs of this machine, unless others are allowed', () => {
  const attempt = (...words) => {
    try {
      execFileSync(fairway, ['mcp', ...words], { input: '', encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
      return '';
    } catch (error) {
      assert.equal(error.status, 2);
      return error.stderr;
    }
  };
  assert.match(attempt('--url', 'http://192.0.2.1:80'), /not this machine: use --allow-remote/);
  assert.equal(attempt('--url', 'http://192.0.2.1:80', '--allow-remote'), '');
  assert.match(attempt('--allow-remote'), /--allow-remote needs --url/);
  assert.match(attempt('--project-dir', join(scratch, 'nowhere')), /is not a folder/);
});

test('mcp: the server ends with its input', async () => {
  const child = spawn(fairway, ['mcp', ...project], { cwd: scratch, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  const [[status], output] = await Promise.all([once(child, 'exit'), child.stdout.toArray()]);
  assert.equal(status, 0);
  assert.equal(Buffer.concat(output).toString(), '{"jsonrpc":"2.0","id":1,"result":{}}\n');
});

test('mcp: docs/mcp.md shows what the server responds', async () => {
  const page = readFileSync(join(source, 'docs/mcp.md'), 'utf8');
  const [, shown] = /```text\n(> [^]*?)```/.exec(page);
  const { call, edit } = await session('docs');
  edit('integer:1-', 'integr:1-');
  const lines = [];
  for (const [, tool, args] of shown.matchAll(/^> (\S+) (.*)$/gm)) {
    const result = await call(tool, JSON.parse(args));
    lines.push(`> ${tool} ${args}`);
    lines.push(result.isError ? `error: ${text(result)}` : JSON.stringify(result.structuredContent, null, 2));
    if (tool === 'diagnostics') edit('integr:1-', 'integer:1-');
  }
  assert.equal(shown, lines.join('\n') + '\n');
});
