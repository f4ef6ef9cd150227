// Random edits, saves, new and deleted files: whenever the server is idle, its diagnostics equal the ones of a
// server that has just been started. With BURST, up to so many steps follow each other, with and without pauses, before
// the server is idle; by default it is idle after each.
// Usage: random_edits.mjs FAIRWAY INCLUDE_DIR [STEPS] [SEED] [BURST]
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { LspClient, positionAt, projectArguments } from './client.mjs';

const [fairway, include] = process.argv.slice(2, 4).map((path) => resolve(path));
const steps = Number(process.argv[4] ?? 60);
const seed = Number(process.argv[5] ?? Date.now() % 1_000_000);
const longestBurst = Number(process.argv[6] ?? 1);
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'fairway-lsp-random-')));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));

const project = projectArguments(scratch, include);

/** mulberry32: the same numbers for the same seed. */
let state = seed;
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let value = Math.imul(state ^ (state >>> 15), 1 | state);
  value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
  return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
}
const below = (count) => Math.floor(random() * count);
const oneOf = (list) => list[below(list.length)];

const routes = (path, operation) => `#include <fairway/fairway.hpp>
#include "../limits.hpp"
// größe 😀
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("${path}",
          {.validate = {.param = {{"id", "integer:1-"}}},
           .middlewares = {"audit"},
           .responses = {{"200", {{"text", kText}}}},
           .docs = {.summary = "Read", .operation_id = "${operation}"}},
          [](fw::Request&, fw::Response& res) { res.json({{"text", "Tea"}}); });
});
`;
const page = (operation) => `#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.docs = {.summary = "Show", .operation_id = "${operation}"},
           .frontend = {.page = "note", .data = {{"title", "string"}}}},
          [](fw::Request&, fw::Response& res) { res.render("note", {{"title", "Tea"}}); });
});
`;
const limits = '#pragma once\ninline constexpr auto kText = "string:1-50";\n';

/** Every file that may come into being, and a text to begin with; `true`: it is there at the start. */
const files = {
  'one/src/routes/notes.cpp': [routes('/:id', 'getNote'), true],
  'one/src/routes/teams.cpp': [routes('/:id', 'getTeam'), true],
  'one/src/routes/index.cpp': [routes('/notes/:id', 'getOther'), false],
  'one/src/routes/show.cpp': [page('showNote'), true],
  'one/src/routes/odd.cc': [page('showOdd'), false],
  'one/src/limits.hpp': [limits, true],
  'one/src/more.hpp': [limits.replace('kText', 'kMore'), false],
  'one/src/sub/folder/deep.hpp': ['#pragma once\n', false],
  'one/src/middlewares/audit.cpp': [
    '#include <fairway/fairway.hpp>\nFW_EXPORT_DEFAULT =\n' +
      '    fw::define_middleware([](fw::Request&, fw::Response&, fw::Next next) { next(); });\n',
    true,
  ],
  'one/src/pages/note.html': ['<h1>{{title}}</h1>\n{{> _footer}}\n', true],
  'one/src/pages/_footer.html': ['<p>{{title}}</p>\n', false],
  'two/src/routes/items.cpp': [page('showItem'), true],
  'two/src/pages/note.html': ['<p>{{title}}</p>\n', true],
};

/** Changes that people make, in both directions. */
const replacements = [
  ['integer:1-', 'integr:1-'],
  ['"/:id"', '"/:key"'],
  ['app.get', 'app.post'],
  ['"audit"', '"audits"'],
  ['kText', 'kMore'],
  ['{{title}}', '{{titel}}'],
  ['"note"', '"notes"'],
  ['string', 'strin'],
  ['Tea', 'T😀'],
  ['../limits.hpp', '../more.hpp'],
  ['../limits.hpp', '../sub/folder/deep.hpp'],
  ['\n', '\r\n'],
  ['});', '}'],
  ['.summary = "Read", ', ''],
  ['"200"', '"2000"'],
  ['FW_EXPORT_DEFAULT', 'FW_EXPORT'],
];

const uriOf = (path) => pathToFileURL(join(scratch, path)).href;
const onDisk = (path) => existsSync(join(scratch, path));
function write(path, text) {
  mkdirSync(dirname(join(scratch, path)), { recursive: true });
  writeFileSync(join(scratch, path), text);
}

class Server {
  /** What the client shows: by URI, without the documents that show nothing. */
  shown = new Map();

  async start(documents) {
    this.client = new LspClient([fairway, 'lsp', ...project], scratch);
    const workspaceFolders = ['one', 'two'].map((name) => ({ uri: uriOf(name), name }));
    await this.client.request('initialize', { processId: process.pid, workspaceFolders, capabilities: {} });
    this.client.notify('initialized', {});
    for (const [path, document] of documents) this.open(path, document);
    return this;
  }
  open(path, { version, text }) {
    this.client.notify('textDocument/didOpen', {
      textDocument: { uri: uriOf(path), languageId: 'cpp', version, text },
    });
  }
  /** Waits until all is analysed, and returns what is shown. */
  async idle(documents) {
    await Promise.all(
      [...documents.keys()].map((path) =>
        this.client.request('textDocument/documentSymbol', { textDocument: { uri: uriOf(path) } }),
      ),
    );
    await this.client.request('unknown'); // also if no document is open
    for (const { params } of this.client.takeAll('textDocument/publishDiagnostics')) {
      if (params.diagnostics.length > 0) this.shown.set(params.uri, params);
      else this.shown.delete(params.uri);
    }
    this.client.lines.length = 0;
    return Object.fromEntries([...this.shown].sort());
  }
}

/** The open documents by path: { version, text }. */
const documents = new Map();
const history = [];
let server;

/** Positions have none between "\r" and "\n". */
const beforeNewLine = (text, at) => (text.slice(at - 1, at + 1) === '\r\n' ? at - 1 : at);

function change(path, from, to, text) {
  const document = documents.get(path);
  const start = beforeNewLine(document.text, from);
  const end = beforeNewLine(document.text, to);
  const range = { start: positionAt(document.text, start), end: positionAt(document.text, end) };
  document.text = document.text.slice(0, start) + text + document.text.slice(end);
  server.client.notify('textDocument/didChange', {
    textDocument: { uri: uriOf(path), version: ++document.version },
    contentChanges: [{ range, text }],
  });
}

function edit(path) {
  const { text } = documents.get(path);
  const kind = below(8);
  if (kind === 0) return change(path, 0, text.length, files[path][0]);
  if (kind === 1) {
    // Not between two halves: such a text cannot be saved.
    const at = [...text].slice(0, below([...text].length + 1)).join('').length;
    return change(path, at, at, oneOf(['"', '{', '}', ';', '/*', '\n', '\r', 'é', '😀', ')', '#', ' ']));
  }
  if (kind === 2) {
    const lines = text.split('\n');
    const first = below(lines.length);
    const start = lines.slice(0, first).join('\n').length;
    return change(path, start, Math.min(start + lines[first].length + 1, text.length), '');
  }
  const pair = oneOf(
    replacements.filter(([a, b]) => text.includes(a) || (b !== '' && text.includes(b))).concat([['', ' ']]),
  );
  const [from, to] = text.includes(pair[0]) ? pair : [pair[1], pair[0]];
  const at = text.indexOf(from);
  change(path, at, at + from.length, to);
}

function touch() {
  server.client.notify('workspace/didChangeWatchedFiles', { changes: [] });
}

const actions = {
  edit: () => documents.size > 0 && edit(oneOf([...documents.keys()])),
  typing: () => {
    if (documents.size === 0) return false;
    const path = oneOf([...documents.keys()]);
    for (let count = 0; count < 4; ++count) edit(path);
  },
  open: () => {
    const path = oneOf(Object.keys(files).filter((each) => !documents.has(each)));
    if (path === undefined || documents.size >= 4) return false;
    const text = onDisk(path) ? readFileSync(join(scratch, path), 'utf8') : files[path][0];
    documents.set(path, { version: 1, text });
    server.open(path, documents.get(path));
  },
  close: () => {
    const path = oneOf([...documents.keys()]);
    if (path === undefined) return false;
    documents.delete(path);
    server.client.notify('textDocument/didClose', { textDocument: { uri: uriOf(path) } });
  },
  save: () => {
    const path = oneOf([...documents.keys()]);
    if (path === undefined) return false;
    write(path, documents.get(path).text);
    server.client.notify('textDocument/didSave', { textDocument: { uri: uriOf(path) } });
  },
  create: () => {
    const path = oneOf(Object.keys(files).filter((each) => !onDisk(each)));
    if (path === undefined) return false;
    write(path, files[path][0]);
    touch();
  },
  remove: () => {
    const path = oneOf(Object.keys(files).filter(onDisk));
    // Without its last route file, a folder has no application.
    if (path === undefined || path === 'two/src/routes/items.cpp') return false;
    rmSync(join(scratch, path));
    touch();
  },
  repair: () => {
    for (const [path, [text, isThere]] of Object.entries(files)) {
      if (isThere) write(path, text);
      else rmSync(join(scratch, path), { force: true });
    }
    touch();
  },
};
const weights = { edit: 9, typing: 3, open: 4, close: 2, save: 3, create: 1, remove: 1, repair: 1 };
const choices = Object.entries(weights).flatMap(([name, weight]) => Array(weight).fill(name));

/** One step: an action that can be done. */
function take(step) {
  for (;;) {
    const name = oneOf(choices);
    const before = JSON.stringify([...documents.keys()]);
    if (actions[name]() === false) continue;
    history.push(`${step} ${name} ${before} -> ${JSON.stringify([...documents.keys()])}`);
    return;
  }
}

/** Compares what is shown with what a new server shows; returns the number of diagnostics. */
async function compare(step) {
  const shown = await server.idle(documents);
  const fresh = await new Server().start(documents);
  const expected = await fresh.idle(documents);
  let count = 0;
  for (const [uri, { version, diagnostics }] of Object.entries(shown)) {
    const path = [...documents.keys()].find((each) => uriOf(each) === uri);
    assert.equal(version, documents.get(path)?.version, `the version of ${uri}`);
    count += diagnostics.length;
  }
  assert.deepEqual(
    shown,
    expected,
    `seed ${seed}, step ${step}:\n${history.slice(-10 - longestBurst).join('\n')}\n` +
      [...documents].map(([path, { text }]) => `--- ${path}\n${text}`).join('\n'),
  );
  await fresh.client.stop();
  return count;
}

/** Longer than the server waits for another change, shorter than an analysis, or longer than both. */
const pauses = [...Array(12).fill(0), 5, 20, 60, 300];

console.log(`seed ${seed}`);
for (const [path, [text, isThere]] of Object.entries(files)) if (isThere) write(path, text);
server = await new Server().start(documents);
let found = 0;
let comparisons = 0;
for (let step = 0; step < steps;) {
  const end = Math.min(steps, step + 1 + below(longestBurst));
  while (step < end) {
    take(++step);
    if (step < end) await pause(oneOf(pauses));
  }
  found += await compare(step);
  if (++comparisons % 50 === 0) console.log(`${step} steps, ${comparisons} comparisons, ${found} diagnostics`);
}
await server.client.stop();
assert.ok(comparisons < 20 || found > comparisons / 4, 'too few diagnostics: the edits are too tame');
console.log(`${steps} steps, ${comparisons} comparisons, ${found} diagnostics`);
