// Situations that editors bring about: one row each, in the order in which they happen to a server.
// Usage: situations_test.mjs FAIRWAY INCLUDE_DIR
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { LspClient, OpenDocument, projectArguments } from './client.mjs';

const [fairway, include] = process.argv.slice(2).map((path) => resolve(path));
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'fairway-lsp-situations-')));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const project = projectArguments(scratch, include);
const clients = [];
after(() => clients.forEach((client) => client.kill()));

// The sources.

const head = `#include <fairway/fairway.hpp>
static void h(fw::Request&, fw::Response& res) { res.end(); }
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
`;
const responses = '.responses = {{"200", {{"a", "string"}}}}';
const get = (path, id) => `  app.get(${path}, {${responses}, .docs = {.summary = "s", .operation_id = "${id}"}}, h);\n`;
const route = (path, id) => `${head}${get(path, id)}});\n`;
const bad = route('"bad path"', 'bad');
const including = (header, path) =>
  route(path, 'included').replace('fairway.hpp>\n', `fairway.hpp>\n#include "${header}"\n`);

function write(folder, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** A folder with a server that is not initialized. */
function server(name, files = {}) {
  const folder = join(scratch, name);
  write(folder, files);
  const root = pathToFileURL(folder).href;
  const client = new LspClient([fairway, 'lsp', ...project], scratch);
  clients.push(client);
  const open = (path, text) =>
    new OpenDocument(client, `${root}/${path}`, text ?? readFileSync(join(folder, path), 'utf8'));
  return { folder, root, client, open };
}

// What the rows say of responses.

const messages = (diagnostics) => diagnostics.map((each) => each.message.split('\n')[0]);
const code = async (request) => (await request).error?.code;
const hover = (uri, line, character) => [
  'textDocument/hover',
  { textDocument: { uri }, position: { line, character } },
];
/** Waits until the server is idle; returns what it has published for a document: the last, or undefined. */
async function published(session, document, uri = document.uri) {
  await document.ask('documentSymbol');
  return session.client
    .takeAll('textDocument/publishDiagnostics')
    .map(({ params }) => params)
    .findLast((each) => each.uri === uri)?.diagnostics;
}
const touch = ({ client }) => client.notify('workspace/didChangeWatchedFiles', { changes: [] });

/** The memory of a process and of those that it has started, in kB. */
function memory(pid) {
  const own = Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
  const started = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return started === '' ? own : started.split(' ').reduce((sum, each) => sum + memory(each), own);
}

/** Sends changes as they are: [{ range: [line, character, line, character], text }]. */
function change(document, ...changes) {
  document.client.notify('textDocument/didChange', {
    textDocument: { uri: document.uri, version: ++document.version },
    contentChanges: changes.map(({ range: at, text }) =>
      Array.isArray(at)
        ? { range: { start: { line: at[0], character: at[1] }, end: { line: at[2], character: at[3] } }, text }
        : { ...(at === undefined ? {} : { range: at }), text },
    ),
  });
}

/** Runs rows in order on one session: [what happens, what the test does with the session]. */
function situations(title, begin, rows) {
  test(title, async (suite) => {
    const session = await begin();
    for (const [name, run] of rows) await suite.test(name, () => run(session));
  });
}

situations(
  'language server: one document',
  async () => {
    const session = server('one', { 'src/routes/a.cpp': route('"/x"', 'x'), 'src/routes/b.cpp': route('"/y"', 'y') });
    return session;
  },
  [
    [
      'the capabilities of the server',
      async (s) => {
        const { capabilities } = await s.client.start(s.root);
        assert.equal(capabilities.positionEncoding, 'utf-16');
        assert.equal(capabilities.workspace.workspaceFolders.supported, true);
      },
    ],
    [
      'a file without errors is opened',
      async (s) => {
        s.a = s.open('src/routes/a.cpp');
        assert.deepEqual(await s.a.diagnostics(), []);
      },
    ],
    [
      'columns after a character of two code units',
      async (s) => {
        change(s.a, { range: [3, 0, 3, 0], text: '/* 😀é */ ' });
        change(s.a, { range: [3, 10, 3, 10], text: get('"/q r"', 'q').trim() });
        const [wrong] = await s.a.diagnostics();
        assert.deepEqual(wrong.range.start, { line: 3, character: 10 + 'app.get("/q'.length });
      },
    ],
    [
      'a range after the end of the text',
      async (s) => {
        change(s.a, { range: [999, 0, 999, 5], text: '// end' });
        assert.equal((await s.a.diagnostics()).length, 1);
      },
    ],
    [
      'a position between the halves of a character',
      async (s) => {
        change(s.a, { range: [3, 4, 3, 4], text: 'X' });
        const [wrong] = await s.a.diagnostics();
        assert.deepEqual(wrong.range.start, { line: 3, character: 11 + 'app.get("/q'.length });
      },
    ],
    [
      'hover after such edits',
      async (s) => {
        const { result } = await s.client.request(...hover(s.a.uri, 3, 15));
        assert.ok(result === null || /GET/.test(result.contents.value));
      },
    ],
    ['symbols of a file with an error', async (s) => assert.ok(Array.isArray(await s.a.ask('documentSymbol')))],
    [
      'a document that is not open',
      async (s) => assert.equal(await code(s.client.request(...hover(`${s.root}/src/routes/b.cpp`, 3, 8))), -32602),
    ],
    ['a negative position', async (s) => assert.equal(await code(s.client.request(...hover(s.a.uri, -1, -5))), -32602)],
    [
      'a position that is not of whole numbers',
      async (s) => assert.equal(await code(s.client.request(...hover(s.a.uri, 1.5, '2'))), -32602),
    ],
    [
      'an edit at a negative position',
      async (s) => {
        await s.a.set(route('"/x"', 'x'));
        change(s.a, { range: [-1, 0, -1, 0], text: '}' });
        assert.deepEqual(messages((await published(s, s.a)) ?? []), []);
      },
    ],
    [
      'an unknown request',
      async (s) => assert.equal(await code(s.client.request('textDocument/foldingRange', {})), -32601),
    ],
    [
      'parameters that are null',
      async (s) => assert.equal(await code(s.client.request('textDocument/hover', null)), -32602),
    ],
    [
      'parameters that are a list',
      async (s) => assert.equal(await code(s.client.request('textDocument/hover', [1])), -32602),
    ],
    [
      'a request is cancelled that waits for nothing',
      async (s) => {
        const request = s.client.newRequest(...hover(s.a.uri, 3, 8));
        s.client.send(request, s.client.notification('$/cancelRequest', { id: request.id }));
        const response = await s.client.response(request.id);
        assert.ok('result' in response || response.error.code === -32800);
      },
    ],
    [
      'a request is cancelled that waits for an analysis',
      async (s) => {
        const request = s.client.newRequest(...hover(s.a.uri, 3, 8));
        s.client.send(
          s.a.replacing('"/x"', '"/xx"'),
          request,
          s.client.notification('$/cancelRequest', { id: request.id }),
        );
        assert.equal(await code(s.client.response(request.id)), -32800);
      },
    ],
    [
      'unknown notifications are ignored',
      async (s) => {
        s.client.notify('$/cancelRequest', { id: 9999 });
        s.client.notify('$/cancelRequest', {});
        s.client.notify('$/setTrace', { value: 'verbose' });
        s.client.notify('foo/bar', {});
        assert.match((await s.a.ask('hover', 'app.ge|t(')).contents.value, /GET/);
      },
    ],
    [
      'an id that is a string',
      async (s) => {
        const [method, params] = hover(s.a.uri, 3, 8);
        s.client.send({ jsonrpc: '2.0', id: 'abc', method, params });
        assert.ok((await s.client.response('abc')).result);
      },
    ],
    [
      'a message that is not JSON',
      async (s) => {
        s.client.sendRaw('Content-Length: 5\r\n\r\n{"a":');
        assert.equal(await code(s.client.response(null)), -32700);
      },
    ],
    [
      'a batch, which the protocol does not have',
      async (s) => {
        s.client.send([{ jsonrpc: '2.0', id: 77, method: 'textDocument/hover', params: {} }]);
        assert.equal(await code(s.client.response(null)), -32600);
      },
    ],
    [
      'names of fields in lower case, and two fields',
      async (s) => {
        const [method, params] = hover(s.a.uri, 3, 8);
        const text = JSON.stringify({ jsonrpc: '2.0', id: 500, method, params });
        const type = 'content-type: application/vscode-jsonrpc; charset=utf-8';
        s.client.sendRaw(`${type}\r\ncontent-length:${text.length}\r\n\r\n${text}`);
        assert.ok((await s.client.response(500)).result);
      },
    ],
    [
      'a message that arrives in pieces',
      async (s) => {
        const [method, params] = hover(s.a.uri, 3, 8);
        const text = JSON.stringify({ jsonrpc: '2.0', id: 501, method, params });
        const bytes = `Content-Length: ${text.length}\r\n\r\n${text}`;
        for (let at = 0; at < bytes.length; at += 3) s.client.sendRaw(bytes.slice(at, at + 3));
        assert.ok((await s.client.response(501)).result);
      },
    ],
    [
      'initialize, a second time',
      async (s) => assert.equal(await code(s.client.request('initialize', { capabilities: {} })), -32600),
    ],
    [
      'a document with an error is closed',
      async (s) => {
        assert.equal((await s.a.set(bad)).length, 1);
        assert.deepEqual(await s.a.close(), []);
      },
    ],
    [
      'a change of a closed document, and a second close',
      async (s) => {
        change(s.a, { text: 'x' });
        s.client.notify('textDocument/didClose', { textDocument: { uri: s.a.uri } });
      },
    ],
    [
      'a document that is not a file',
      async (s) => {
        const untitled = new OpenDocument(s.client, 'untitled:Untitled-1', 'x');
        assert.equal((await s.client.request(...hover(untitled.uri, 0, 0))).result, null);
        assert.equal(await published(s, untitled), undefined);
      },
    ],
    [
      'another spelling of a URI',
      async (s) => {
        const b = new OpenDocument(s.client, `${s.root.replace(/one$/, 'on%65')}/src/routes/b.cpp`, bad);
        assert.equal((await b.diagnostics()).length, 1);
        await b.close();
      },
    ],
    [
      'two documents with the same route',
      async (s) => {
        const b = s.open('src/routes/b.cpp');
        assert.deepEqual(await b.diagnostics(), []);
        const index = s.open('src/routes/index.cpp', route('"/b/y"', 'again'));
        const [twice] = await index.diagnostics();
        assert.match(twice.message, /GET \/b\/y/);
        assert.deepEqual(
          twice.relatedInformation.map(({ location }) => location.uri),
          [b.uri],
        );
        await b.close();
        await index.close();
      },
    ],
    ['the session ends', async (s) => assert.equal(await s.client.stop(), 0)],
  ],
);

situations(
  'language server: several files',
  async () => {
    const session = server('several', {
      'src/routes/a.cpp': including('k.hpp', 'kP'),
      'src/routes/b.cpp': route('"/y"', 'y'),
      'src/routes/k.hpp': 'constexpr auto kP = "/x";\n',
    });
    await session.client.start(session.root);
    session.a = session.open('src/routes/a.cpp');
    await session.a.diagnostics();
    return session;
  },
  [
    [
      'an unsaved header',
      async (s) => {
        s.k = s.open('src/routes/k.hpp', 'constexpr auto kP = "/bad path";\n');
        assert.equal((await s.k.diagnostics()).length, 1);
        await s.k.close();
      },
    ],
    [
      'an include of a header that does not exist',
      async (s) => {
        assert.match(messages(await s.a.set(including('new.hpp', 'kNew')))[0], /'new\.hpp' file not found/);
      },
    ],
    [
      'the new header is opened but not saved',
      async (s) => {
        s.new = s.open('src/routes/new.hpp', 'constexpr auto kNew = "/new";\n');
        assert.deepEqual(await published(s, s.new, s.a.uri), []);
        assert.deepEqual(await s.a.ask('hover', 'ap|p'), null);
      },
    ],
    [
      'an edit after the new header was found',
      async (s) => {
        change(s.a, { range: [0, 0, 0, 0], text: ' ' });
        s.a.text = ` ${s.a.text}`;
        assert.deepEqual(await s.a.diagnostics(), []);
      },
    ],
    [
      'a new header in a folder that does not exist',
      async (s) => {
        assert.equal((await s.a.set(including('sub/new.hpp', 'kNew'))).length, 1);
        const deep = s.open('src/routes/sub/new.hpp', 'constexpr auto kNew = "/new";\n');
        assert.deepEqual(await published(s, deep, s.a.uri), []);
        await s.a.set(including('new.hpp', 'kNew'));
      },
    ],
    [
      'a new header of the user with the name of a generated one',
      async (s) => {
        assert.notDeepEqual(await s.a.set(including('own.routes.hpp', 'kNew')), []);
        const own = s.open('src/routes/own.routes.hpp', 'constexpr auto kNew = "/new";\n');
        assert.deepEqual(await published(s, own, s.a.uri), []);
        await own.close();
        await s.a.set(including('new.hpp', 'kNew'));
      },
    ],
    [
      'a header that nothing includes any more',
      async (s) => {
        await s.new.set('broken(');
        await s.a.set(route('"/x"', 'x'));
        // What was shown is taken back, and nothing more is said.
        assert.deepEqual((await published(s, s.new)) ?? [], []);
        await s.new.ask('documentSymbol');
        s.client.send(s.new.replacing('broken', 'still'));
        assert.equal(await published(s, s.new), undefined);
      },
    ],
    [
      'a new route file that is not saved',
      async (s) => {
        s.c = s.open('src/routes/c.cpp', bad);
        assert.equal((await s.c.diagnostics()).length, 1);
        assert.ok(Array.isArray(await s.c.ask('documentSymbol')));
      },
    ],
    [
      'the new route file is saved',
      async (s) => {
        write(s.folder, { 'src/routes/c.cpp': bad });
        s.client.notify('textDocument/didSave', { textDocument: { uri: s.c.uri } });
        s.client.send(s.c.replacing('"bad path"', '"bad  path"'));
        assert.equal((await s.c.diagnostics()).length, 1);
      },
    ],
    [
      'the file of an open document is deleted',
      async (s) => {
        rmSync(join(s.folder, 'src/routes/c.cpp'));
        touch(s);
        assert.equal((await s.c.set(bad)).length, 1); // it is what the editor would save
        assert.deepEqual(await s.c.close(), []);
      },
    ],
    [
      'a file is renamed',
      async (s) => {
        renameSync(join(s.folder, 'src/routes/b.cpp'), join(s.folder, 'src/routes/d.cpp'));
        touch(s);
        s.d = s.open('src/routes/d.cpp', bad);
        assert.equal((await s.d.diagnostics()).length, 1);
        await s.d.close();
      },
    ],
    [
      'a quick fix has the version of its document',
      async (s) => {
        const wrong = head + '  app.get("/x", {.auth = {.roles = {"a"}}}, h);\n});\n';
        const [diagnostic] = await s.a.set(wrong);
        const { start, end } = diagnostic.range;
        const actions = await s.a.ask('codeAction', undefined, { range: { start, end }, context: { diagnostics: [] } });
        for (const { edit } of actions) {
          assert.equal(edit.changes, undefined);
          for (const { textDocument } of edit.documentChanges) {
            assert.deepEqual(textDocument, { uri: s.a.uri, version: s.a.version });
          }
        }
        s.actions = actions.length;
        assert.ok(s.actions > 0);
      },
    ],
    [
      'the routes are gone: no responses from the last analysis',
      async (s) => {
        renameSync(join(s.folder, 'src/routes'), join(s.folder, 'src/gone'));
        touch(s);
        assert.match((await s.client.notified('window/showMessage')).message, /has no directory 'routes'/);
        change(s.a, { range: [0, 0, 0, 0], text: '// new first line\n// new second line\n' });
        s.a.text = `// new first line\n// new second line\n${s.a.text}`;
        const range = { start: { line: 0, character: 0 }, end: { line: 9, character: 60 } };
        assert.equal(await s.a.ask('codeAction', undefined, { range, context: { diagnostics: [] } }), null);
        assert.equal(await s.a.ask('hover', 'app.ge|t('), null);
        assert.equal(await s.a.ask('completion', '"/|x"'), null);
      },
    ],
    [
      'the routes are back',
      async (s) => {
        s.client.takeAll('textDocument/publishDiagnostics');
        renameSync(join(s.folder, 'src/gone'), join(s.folder, 'src/routes'));
        touch(s);
        assert.ok((await s.a.diagnostics()).length > 0);
      },
    ],
    [
      'many fast edits',
      async (s) => {
        await s.a.set(route('"/x"', 'x'));
        for (let count = 0; count < 60; ++count) change(s.a, { range: [0, 0, 0, 0], text: '// x\n' });
        assert.deepEqual(await s.a.diagnostics(), []);
      },
    ],
    [
      'memory does not grow with the edits',
      async (s) => {
        const edit = async () => {
          change(s.a, { range: [0, 0, 0, 0], text: '// x\n' });
          await s.a.diagnostics();
        };
        for (let count = 0; count < 5; ++count) await edit();
        const before = memory(s.client.pid);
        for (let count = 0; count < 20; ++count) await edit();
        assert.ok(memory(s.client.pid) - before < 20_000, `${before} kB, then ${memory(s.client.pid)} kB`);
      },
    ],
    [
      'lines that end with \\r\\n',
      async (s) => {
        const [wrong] = await s.a.set((head + get('"/é😀 x"', 'crlf')).replaceAll('\n', '\r\n') + '});\r\n');
        assert.equal(wrong.range.start.line, 3);
        change(s.a, { range: [3, 500, 3, 600], text: ' // tail' });
        assert.equal((await s.a.diagnostics())[0].range.start.line, 3);
      },
    ],
    [
      'lines that end with \\r',
      async (s) => {
        const [wrong] = await s.a.set(route('"/a b"', 'cr').replaceAll('\n', '\r'));
        assert.equal(wrong.range.start.line, 3);
        change(s.a, { range: [3, 0, 3, 999], text: get('"/ab"', 'cr').trimEnd() });
        assert.deepEqual(await s.a.diagnostics(), []);
      },
    ],
    [
      'completion in a text that is being written',
      async (s) => {
        await s.a.set(head + '  app.get("/x", {.validate = {.query = {{"a", ""}}}, .middlewares = {""}}, h);\n});\n');
        assert.ok((await s.a.labels('{"a", "|"')).includes('uuid'));
        assert.deepEqual(await s.a.labels('.middlewares = {"|"'), []);
      },
    ],
    [
      'a range whose end is before its start',
      async (s) => {
        await s.a.set(route('"/x"', 'x'));
        change(s.a, { range: [3, 9, 1, 0], text: 'Z' });
        assert.ok(await published(s, s.a));
      },
    ],
    [
      'a change whose second part is invalid is not applied',
      async (s) => {
        assert.deepEqual(await s.a.set(route('"/x"', 'x')), []);
        change(s.a, { range: [0, 0, 0, 0], text: '}\n' }, { range: 'oops', text: 'b' });
        change(s.a, { range: [999, 0, 999, 0], text: '// end' });
        s.a.text += '// end';
        assert.deepEqual(await s.a.diagnostics(), []);
        const [symbol] = await s.a.ask('documentSymbol');
        assert.equal(symbol.range.start.line, 3);
      },
    ],
    [
      'the document changes while a request waits',
      async (s) => {
        const [first, second] = [0, 1].map(() => s.client.newRequest(...hover(s.a.uri, 3, 8)));
        s.client.send(
          s.a.replacing('"/x"', '"/y"'),
          first,
          s.a.replacing('"/y"', '"/yy"'),
          second,
          s.a.replacing('"/yy"', '"/z"'),
        );
        // The first request starts an analysis of its own text; the text of the second one is never analysed.
        assert.match((await s.client.response(first.id)).result.contents.value, /`\/a\/y`/);
        assert.equal(await code(s.client.response(second.id)), -32801);
      },
    ],
    [
      'shutdown during an analysis',
      async (s) => {
        const request = s.client.newRequest(...hover(s.a.uri, 3, 8));
        const shutdown = s.client.newRequest('shutdown');
        s.client.send(s.a.replacing('"/z"', '"/x"'), request, shutdown);
        assert.equal((await s.client.response(shutdown.id)).result, null);
        assert.equal(await code(s.client.response(request.id)), -32800);
      },
    ],
    [
      'a request after shutdown',
      async (s) => {
        assert.equal(await code(s.client.request(...hover(s.a.uri, 3, 8))), -32600);
        s.client.notify('exit');
        assert.equal(await s.client.ended, 0);
      },
    ],
  ],
);

const two = { 'src/routes/x.cpp': route('"/x"', 'x') };

test('language server: the first messages, and the end of the session', async (suite) => {
  await suite.test('a request before initialize', async () => {
    const { client, root } = server('early', two);
    assert.equal(await code(client.request(...hover(`${root}/src/routes/x.cpp`, 1, 1))), -32002);
    client.notify('textDocument/didOpen', {});
    // No folder at all: the working directory.
    const { result } = await client.request('initialize', {
      processId: null,
      rootUri: null,
      workspaceFolders: null,
      capabilities: {},
    });
    assert.ok(result.capabilities);
    client.notify('exit');
    assert.equal(await client.ended, 1);
  });
  await suite.test('a folder that does not exist, then one that does', async () => {
    const { client, root } = server('retried', two);
    const params = { processId: null, rootUri: 'file:///nonexistent/x', capabilities: {} };
    assert.equal(await code(client.request('initialize', params)), -32602);
    assert.ok((await client.request('initialize', { ...params, rootUri: root })).result);
    client.closeInput();
    assert.equal(await client.ended, 1);
  });
  await suite.test('a folder that is not on this machine; SIGTERM', async () => {
    const { client } = server('remote');
    const params = { processId: null, rootUri: 'vscode-vfs://github/x', capabilities: {} };
    assert.ok((await client.request('initialize', params)).result);
    client.kill();
    assert.equal(await client.ended, 'SIGTERM');
  });
  await suite.test('the client has ended before', async () => {
    const { client, root } = server('orphan', two);
    const { pid } = spawnSync('true');
    await client.request('initialize', { processId: pid, rootUri: root, capabilities: {} });
    assert.equal(await client.ended, 1);
  });
  await suite.test('the client ends', async () => {
    const { client, root } = server('widow', two);
    const editor = spawn('sleep', ['600']);
    await client.request('initialize', { processId: editor.pid, rootUri: root, capabilities: {} });
    editor.kill('SIGKILL');
    assert.equal(await client.ended, 1);
  });
  await suite.test('a client that writes before it reads', async () => {
    const session = server('slow', two);
    await session.client.start(session.root);
    const document = session.open(
      'src/routes/x.cpp',
      head + '  app.get("/x", {.validate = {.query = {{"a", "uuid"}}}}, h);\n});\n',
    );
    await document.diagnostics();
    session.client.pause();
    // More than pipes hold, in both directions.
    for (let count = 0; count < 300; ++count) {
      session.client.send(
        session.client.newRequest('textDocument/completion', {
          textDocument: { uri: document.uri },
          position: document.at('"uu|id"'),
          pad: 'x'.repeat(5000),
        }),
      );
    }
    await session.client.drained();
    session.client.resume();
    assert.equal(await session.client.stop(), 0);
  });
});

situations(
  'several folders',
  async () => {
    const first = server('first', { 'src/routes/a.cpp': route('"/x"', 'x') });
    const second = server('second', { 'src/routes/z.cpp': bad });
    second.client.kill();
    const third = join(scratch, 'third');
    write(third, { README: 'no application' });
    return { ...first, second, third: pathToFileURL(third).href };
  },
  [
    [
      'a file of the second folder',
      async (s) => {
        const workspaceFolders = [s.root, s.second.root, s.third].map((uri, name) => ({ uri, name: String(name) }));
        await s.client.request('initialize', { processId: null, rootUri: s.root, workspaceFolders, capabilities: {} });
        s.client.notify('initialized', {});
        s.z = new OpenDocument(s.client, `${s.second.root}/src/routes/z.cpp`, bad);
        assert.equal((await s.z.diagnostics()).length, 1);
        s.a = s.open('src/routes/a.cpp');
        assert.deepEqual(await s.a.diagnostics(), []);
        assert.equal((await s.a.ask('documentSymbol'))[0].name, 'GET /a/x');
      },
    ],
    ['a folder without routes is no error', async (s) => assert.deepEqual(s.client.takeAll('window/showMessage'), [])],
    [
      'a file of no folder',
      async (s) => {
        const other = new OpenDocument(s.client, pathToFileURL(join(scratch, 'else/src/routes/x.cpp')).href, bad);
        assert.equal(await published(s, other), undefined);
      },
    ],
    [
      'a folder is removed',
      async (s) => {
        s.client.notify('workspace/didChangeWorkspaceFolders', {
          event: { added: [], removed: [{ uri: s.second.root, name: '1' }] },
        });
        assert.deepEqual(await published(s, s.a, s.z.uri), []);
        assert.equal(await s.z.ask('hover', 'app.ge|t('), null);
      },
    ],
    [
      'a folder is added',
      async (s) => {
        s.client.notify('workspace/didChangeWorkspaceFolders', {
          event: { added: [{ uri: s.second.root, name: '1' }], removed: [] },
        });
        assert.equal((await s.z.diagnostics()).length, 1);
      },
    ],
    ['the session ends', async (s) => assert.equal(await s.client.stop(), 0)],
  ],
);

situations(
  'a text that crashes Clang',
  async () => {
    const session = server('crash', { 'src/routes/a.cpp': route('"/x"', 'x'), 'src/routes/b.cpp': route('"/y"', 'y') });
    await session.client.start(session.root);
    session.a = session.open('src/routes/a.cpp');
    await session.a.diagnostics();
    return session;
  },
  [
    [
      'one analysis ends, with a message',
      async (s) => {
        s.client.notify('textDocument/didChange', {
          textDocument: { uri: s.a.uri, version: ++s.a.version },
          contentChanges: [{ text: `#pragma clang __debug crash\n${route('"/x"', 'x')}` }],
        });
        assert.match((await s.client.notified('window/showMessage')).message, /the analysis has ended with signal \d+/);
      },
    ],
    ['requests have no result', async (s) => assert.equal(await s.a.ask('documentSymbol'), null)],
    [
      'the next edit is analysed',
      async (s) => {
        assert.equal((await s.a.set(bad)).length, 1);
        const b = s.open('src/routes/b.cpp', bad);
        assert.equal((await b.diagnostics()).length, 1);
        assert.equal(await s.client.stop(), 0);
      },
    ],
  ],
);
