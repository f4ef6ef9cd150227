// The language server over its protocol. Usage: lsp_test.mjs FAIRWAY INCLUDE_DIR OUTPUT_DIR
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { LspClient, OpenDocument, projectArguments } from './client.mjs';

const [fairway, include, output] = process.argv.slice(2).map((path) => resolve(path));
const here = dirname(fileURLToPath(import.meta.url));
const diagnosticsPage = pathToFileURL(resolve(here, '../../../docs/diagnostics.md')).href;
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'fairway-lsp-')));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const project = projectArguments(scratch, include);

/** Servers of a failing test would keep this process alive. */
const clients = [];
after(() => clients.forEach((client) => client.kill()));

/** A copy of a folder, with a server. */
function session(name, source = join(here, 'app'), hidden = {}) {
  const folder = join(scratch, name);
  cpSync(source, folder, { recursive: true });
  const root = pathToFileURL(folder).href;
  const client = new LspClient([fairway, 'lsp', ...project], scratch, {
    [root]: 'file:///app',
    [diagnosticsPage]: 'file:///docs/diagnostics.md',
    ...hidden,
  });
  clients.push(client);
  const open = (path, text) =>
    new OpenDocument(client, `${root}/${path}`, text ?? readFileSync(join(folder, path), 'utf8'));
  return { folder, root, client, open };
}

const texts = (diagnostics) =>
  diagnostics.map((each) => `${each.range.start.line + 1}: ${each.message} [${each.code}]`);

test('language server: a session matches transcript.txt', async () => {
  const version = execFileSync(fairway, ['--version'], { encoding: 'utf8' }).split(/\s/)[1];
  const { root, client, open } = session('transcript', undefined, { [`"${version}"`]: '"VERSION"' });
  await client.request('textDocument/hover', {});
  await client.start(root);
  const notes = open('src/routes/notes.cpp');
  await notes.diagnostics();
  await notes.ask('documentSymbol');
  await notes.ask('hover', 'app.ge|t(');
  await notes.ask('hover', 'int|eger:1-');
  await notes.ask('definition', '"audit|-log"');
  const [wrong] = await notes.edit('integer:1-', 'integr:1-');
  const [action] = await notes.ask('codeAction', undefined, {
    range: wrong.range,
    context: { diagnostics: [wrong] },
  });
  const [{ textDocument, edits }] = action.edit.documentChanges;
  assert.deepEqual(textDocument, { uri: notes.uri, version: notes.version });
  assert.deepEqual(edits[0].range, wrong.range);
  await notes.edit('integr', 'integer');
  await notes.ask('completion', '"audit|-log"');
  // The request waits for the analysis of the change, and is cancelled before.
  const change = notes.replacing('200', '2000');
  const hover = client.newRequest('textDocument/hover', {
    textDocument: { uri: notes.uri },
    position: notes.at('/:|id'),
  });
  client.send(change, hover, client.notification('$/cancelRequest', { id: hover.id }));
  await client.response(hover.id);
  await notes.diagnostics();
  await client.request('textDocument/frobnicate', {});
  client.notify('$/setTrace', { value: 'off' });
  await client.request('textDocument/hover', { textDocument: { uri: notes.uri } });
  await client.request('initialize', {});
  client.send('{"jsonrpc": "2.0", "id": 7,');
  await client.response(null);
  client.send('[1]');
  await client.response(null);
  client.sendRaw('Content-Type: text/plain\r\n\r\n');
  await client.response(null);
  await notes.close();
  await client.request('shutdown');
  await client.request('textDocument/hover', {});
  client.notify('exit');
  assert.equal(await client.ended, 0);

  mkdirSync(output, { recursive: true });
  const transcript = client.lines.join('\n') + '\n';
  writeFileSync(join(output, 'transcript.txt'), transcript);
  assert.equal(
    transcript,
    readFileSync(join(here, 'transcript.txt'), 'utf8'),
    'tools/goldens.sh replaces the transcript',
  );
});

test('language server: hover shows the key of cached responses', async () => {
  const { root, client, open } = session('cached');
  await client.start(root);
  const notes = open('src/routes/notes.cpp');
  await notes.diagnostics();
  const plain = '.auth = fw::AuthRequirement{.roles = {"staff"}},';
  const key = async (written, before) => {
    await notes.edit(before, written);
    const hover = await notes.ask('hover', 'app.ge|t(');
    return /^- cache: (.*)$/m.exec(hover.contents.value)?.[1];
  };
  const all = '.cache = 5000,';
  assert.equal(await key(all, plain), '5000 ms, by path; query');
  const some = '.cache = {{.ttl = 5000, .headers = {"x-team"}, .query = {"größe", "page"}}},';
  assert.equal(await key(some, all), '5000 ms, by path; query `größe`, `page`; headers `x-team`');
  const none = '.cache = {{.query = {}, .partition_key = [](fw::Request& req) { return req.auth().user_id; }}},';
  assert.equal(await key(none, some), 'by path; `partition_key`');
  const own = '.cache = {{.key = "notes"}},';
  assert.equal(await key(own, none), 'by `key`');
  assert.equal(await key('.cache = false,', own), undefined);
  await client.stop();
});

test('language server: diagnostics match fairway doctor', async () => {
  const { folder, root, client, open } = session('broken', join(here, '../broken'));
  await client.start(root);
  const found = [];
  for (const name of ['empty', 'garbled', 'items', 'orders', 'users']) {
    for (const each of await open(`src/routes/${name}.cpp`).diagnostics()) {
      found.push({ file: `src/routes/${name}.cpp`, ...each });
    }
  }
  let report = '';
  try {
    execFileSync(fairway, ['doctor', '--format', 'json', ...project], { cwd: folder });
  } catch (error) {
    report = error.stdout;
  }
  const { diagnostics } = JSON.parse(report);
  assert.equal(diagnostics.length, 8);
  assert.deepEqual(
    found.map((each) => [each.file, each.code, each.message, Math.max(each.range.start.line + 1, 1)]),
    diagnostics.map((each) => [
      each.file,
      each.id,
      each.help ? `${each.message}\nhelp: ${each.help}` : each.message,
      Math.max(each.line, 1),
    ]),
  );
  const duplicate = found.find((each) => each.code === 'duplicate-route');
  assert.equal(duplicate.relatedInformation[0].message, 'first registered here');
  assert.equal(await client.stop(), 0);
});

test('language server: incomplete documents are analysed', async () => {
  const { root, client, open } = session('typing');
  await client.start(root);
  const notes = open('src/routes/notes.cpp');
  assert.deepEqual(await notes.diagnostics(), []);
  const whole = notes.text;
  // Every prefix of a line is a document as it is during typing.
  const end = whole.indexOf('.query');
  for (let size = end; size < end + 50; size += 7) {
    const diagnostics = await notes.set(whole.slice(0, size));
    assert.notEqual(diagnostics.length, 0);
  }
  for (const text of ['', '"', '{', '}}}}', '\0', '#include', 'FW_EXPORT_DEFAULT = ', '(('.repeat(5000)]) {
    await notes.set(text);
    assert.equal(await notes.ask('hover', ''), null);
  }
  assert.deepEqual(await notes.set(whole), []);
  // Columns count UTF-16 code units, after characters of one, two and four bytes.
  const [unknown] = await notes.edit('{"größe", "string:1-5?"}', '{"größe😀", "strin"}');
  assert.equal(unknown.message, "unknown type 'strin'\nhelp: did you mean 'string'?");
  assert.deepEqual(unknown.range, { start: notes.at('"|strin"'), end: notes.at('"strin|"') });
  await client.stop();
});

test('language server: completion depends on the position of the string', async () => {
  const { root, client, open } = session('completion');
  await client.start(root);
  const notes = open('src/routes/notes.cpp');
  await notes.diagnostics();
  const types = await notes.labels('"integer|:1-"');
  assert.ok(types.includes('uuid') && types.includes('enum') && types.includes('array'));
  assert.deepEqual(await notes.labels('"integer:1|-"'), []);
  assert.deepEqual(await notes.labels('{"i|d", "integer'), ['id']);
  assert.deepEqual(await notes.labels('req.param("i|d"'), ['id']);
  assert.deepEqual(await notes.labels('"gr|öße"'), []);
  assert.deepEqual(await notes.labels('"audit-log|"'), ['audit-log']);
  assert.deepEqual(await notes.labels('"2|00"'), []);
  assert.deepEqual(await notes.labels('{"text", "str|ing"}, {"tags"'), types);
  assert.deepEqual(await notes.labels('{"name", "str|ing"}'), types);
  assert.deepEqual(await notes.labels('"Read| a note"'), []);
  assert.deepEqual(await notes.labels('"get|Note"'), []);
  assert.deepEqual(await notes.labels('"st|aff"'), []);
  assert.deepEqual(await notes.labels('app.po|st'), []);
  // The edit replaces the word, also in a text that does not compile.
  await notes.edit('{"id", "integer:1-"}', '{"id", "array<arr');
  const items = await notes.ask('completion', '"array<arr');
  const integer = items.find((item) => item.label === 'integer');
  assert.deepEqual(integer.textEdit, {
    range: { start: notes.at('"array<|arr'), end: notes.at('"array<arr') },
    newText: 'integer',
  });
  await notes.edit('"/:id"', '"/:noteId/files/*rest"');
  assert.deepEqual(await notes.labels('{"i|d", "array'), ['noteId', 'rest']);
  await client.stop();
});

/** A session with a route file whose schemas are types of a header. */
async function typedSession(name) {
  const { folder, root, client, open } = session(name);
  mkdirSync(join(folder, 'src/models'));
  writeFileSync(
    join(folder, 'src/models/order.hpp'),
    `#pragma once
#include <fairway/types.hpp>
#include <optional>
#include <string>
#include <vector>
enum class Channel { web, phone };
struct Item {
  fw::Field<"integer:1-"> productId;
};
/// What a customer sends.
struct NewOrder {
  std::vector<Item> items;
  std::optional<fw::Field<"string:1-200">> note;  ///< Shown to the driver
  Channel channel = Channel::web;
};
struct Order : NewOrder {
  fw::Field<"integer:1-"> id;
};
`,
  );
  writeFileSync(
    join(folder, 'src/routes/orders.cpp'),
    `#include <fairway/fairway.hpp>
#include "../models/order.hpp"
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.post("/", {.docs = {.summary = "Order", .operation_id = "placeOrder"}},
           [](fw::Body<NewOrder> order) -> fw::Created<Order> { return Order{*order, 1}; });
  app.put("/", {.validate = {.body = fw::type<NewOrder>},
                .responses = {{"200", fw::type<std::vector<Item>>}},
                .docs = {.summary = "Replace", .operation_id = "replaceOrder"}},
          [](fw::Request& req, fw::Response& res) {
            res.json(req.valid<NewOrder>(fw::Location::body).items);
          });
});
`,
  );
  await client.start(root);
  const order = open('src/models/order.hpp');
  const routes = open('src/routes/orders.cpp');
  assert.deepEqual(await routes.diagnostics(), []);
  assert.deepEqual(await order.diagnostics(), []);
  return { client, order, routes };
}

test('language server: hover shows the schemas of C++ types and of their members', async () => {
  const { client, order, routes } = await typedSession('typed-hover');
  const hover = async (document, place) => {
    const found = await document.ask('hover', place);
    return found && /^```yaml\n([^]*)\n```\n$/.exec(found.contents.value)[1];
  };
  assert.equal(await hover(order, 'no|te;'), 'note: string:1-200?');
  assert.equal(await hover(order, 'product|Id'), 'productId: integer:1-');
  assert.equal(await hover(order, '|channel ='), 'channel: enum:web,phone=web');
  assert.equal(await hover(order, '> |items'), 'items: array of Item {\n  productId: integer:1-\n}');
  assert.equal(await hover(order, 'class Chan|nel'), 'enum:web,phone');
  assert.equal(await hover(order, 'pragma| once'), null);
  const whole = `NewOrder {
  items: array of Item {
    productId: integer:1-
  }
  note: string:1-200?
  channel: enum:web,phone=web
}`;
  assert.equal(await hover(order, 'struct New|Order'), whole);
  assert.equal(await hover(routes, 'Body<New|Order>'), `body: ${whole}`);
  assert.equal(await hover(routes, '|fw::Body<'), `body: ${whole}`);
  assert.equal(await hover(routes, 'fw::type<New|Order>'), `body: ${whole}`);
  assert.match(await hover(routes, 'Created<Or|der>'), /^201: Order \{\n {2}items: [^]*\n {2}id: integer:1-\n\}$/);
  assert.equal(await hover(routes, 'vector<It|em>'), '200: array of Item {\n  productId: integer:1-\n}');
  const { range } = await routes.ask('hover', 'Body<New|Order>');
  assert.deepEqual(range, { start: routes.at('|fw::Body<'), end: routes.at('fw::Body<NewOrder>|') });
  assert.equal(await hover(routes, '*or|der'), null);
  await client.stop();
});

test('language server: completion inside fw::Field, also in headers', async () => {
  const { client, order } = await typedSession('typed-completion');
  const types = await order.labels('Field<"str|ing:1-200');
  assert.ok(types.includes('uuid') && types.includes('enum') && types.includes('string'));
  assert.deepEqual(await order.labels('Field<"string:1|-200'), []);
  await order.edit('fw::Field<"integer:1-"> productId;', 'fw::Field<"');
  assert.deepEqual(await order.labels('fw::Field<"|'), types);
  await client.stop();
});

test('language server: ambiguous, conflicting and equally named C++ types, and signatures', async () => {
  const { client, order, routes } = await typedSession('typed-conflicts');
  /** The errors after a change of a document, with the texts that they mark. The change is undone. */
  const errors = async (document, from, to) => {
    const found = await document.edit(from, to);
    const lines = document.text.split('\n');
    const seen = found.map(({ code, message, range: { start, end } }) => {
      assert.equal(start.line, end.line);
      return [code, lines[start.line].slice(start.character, end.character), message.split('\n')[0]];
    });
    assert.deepEqual(await document.edit(to, from), []);
    return seen;
  };
  const member = 'fw::Field<"integer:1-"> productId;';
  const [[ambiguous, variant]] = await errors(order, member, 'std::variant<int, long> productId;');
  assert.deepEqual([ambiguous, variant], ['ambiguous-variant', 'std::variant<int, long>']);
  assert.deepEqual(await errors(routes, 'fw::Body<NewOrder> order', 'fw::Body<NewOrder*> order'), [
    ['unsupported-type', 'fw::Body<NewOrder*>', "the type 'NewOrder *' has no form in JSON"],
  ]);
  const docs = '.docs = {.summary = "Order"';
  assert.deepEqual(await errors(routes, docs, `.validate = {.body = fw::type<Item>}, ${docs}`), [
    ['conflicting-schema', 'body', "'validate.body' and a parameter of the handler both declare the body"],
  ]);
  const [[registration, parameter]] = await errors(routes, '> order)', '> order, int number)');
  assert.deepEqual([registration, parameter], ['bad-registration', 'int']);
  const [[twice, name]] = await errors(
    routes,
    'FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {',
    `#include "orders.routes.hpp"
namespace one { struct Box { int size; }; }
namespace two { struct Box { int depth; }; }
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/one", [] { return one::Box{1}; });
  app.get("/two", [] { return two::Box{1}; });`,
  );
  assert.deepEqual([twice, name], ['same-name-types', 'Box']);
  await client.stop();
});

test('language server: streams have completion, hover and errors', async () => {
  const { folder, root, client, open } = session('streams');
  writeFileSync(
    join(folder, 'src/routes/live.cpp'),
    `#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/", {.responses = {{"200", fw::events({{"created", {{"id", "integer"}}}, {"tick", "number"}})}}},
          [](fw::Request&, fw::Response& res) { res.events(); });
  app.get("/rows", {.responses = {{"200", fw::lines({{"n", "uuid"}})}}},
          [](fw::Request&, fw::Response& res) { res.lines(); });
});
`,
  );
  await client.start(root);
  const live = open('src/routes/live.cpp');
  assert.deepEqual(await live.diagnostics(), []);
  const types = await live.labels('"num|ber"');
  assert.ok(types.includes('uuid') && types.includes('enum'));
  assert.deepEqual(await live.labels('"int|eger"'), types);
  assert.deepEqual(await live.labels('"uu|id"'), types);
  assert.deepEqual(await live.labels('"cre|ated"'), []);
  const hover = async (place) => (await live.ask('hover', place)).contents.value;
  assert.match(await hover('ge|t("/", '), /200 event created: \{\n {2}id: integer\n\}\n200 event tick: number\n/);
  assert.match(await hover('ge|t("/rows"'), /200 lines: \{\n {2}n: uuid\n\}\n/);
  const [error] = await live.edit('"number"', '"numbe"');
  assert.equal(error.code, 'bad-schema');
  assert.deepEqual(error.range, { start: live.at('"|numbe"'), end: live.at('"numbe|"') });
  await live.edit('"numbe"', '"number"');
  const [mismatch] = await live.edit('res.lines()', 'res.events()');
  assert.equal(mismatch.code, 'response-mismatch');
  await client.stop();
});

test('language server: sockets have completion, hover and errors', async () => {
  const { root, folder, client, open } = session('sockets');
  writeFileSync(
    join(folder, 'src/routes/rooms.cpp'),
    `#include <fairway/fairway.hpp>
#include "rooms.routes.hpp"
namespace {
struct Move {
  std::int64_t x;
};
std::vector<fw::Socket>& lobby();
}
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.socket("/:id", {.receive = {{"say", {{"text", "string"}}}}, .send = {{"said", {{"by", "uuid"}}}}},
             [](fw::Request&, fw::Socket& socket) {
               socket.on("say", [](const fw::Json&, fw::Socket& from) { from.send("said", {{"by", "a"}}); });
               for (fw::Socket& other : lobby()) other.send("of another route", {});
             });
  app.socket("/board", {.receive = {{"move", fw::type<Move>}}, .send = fw::raw},
             [](fw::Request&, fw::Socket& socket) { socket.on<Move>([](const Move&) {}); });
});
`,
  );
  await client.start(root);
  const rooms = open('src/routes/rooms.cpp');
  assert.deepEqual(await rooms.diagnostics(), []);
  const types = await rooms.labels('"str|ing"');
  assert.ok(types.includes('uuid') && types.includes('enum'));
  assert.deepEqual(await rooms.labels('"uu|id"'), types);
  const { contents } = await rooms.ask('hover', 'sock|et("/:id"');
  const type = await rooms.ask('hover', 'fw::ty|pe<Move>');
  assert.equal(type.contents.value, '```yaml\nreceive move: Move {\n  x: integer\n}\n```\n');
  assert.match(contents.value, /\*\*SOCKET\*\* `\/rooms\/:id`/);
  assert.match(contents.value, /receive say: \{\n {2}text: string\n\}\nsend said: \{\n {2}by: uuid\n\}\n/);
  const [error] = await rooms.edit('"uuid"', '"uui"');
  assert.equal(error.code, 'bad-schema');
  assert.deepEqual(error.range, { start: rooms.at('"|uui"'), end: rooms.at('"uui|"') });
  await rooms.edit('"uui"', '"uuid"');
  await client.stop();
});

test('language server: errors of C++ types have their ranges and their fixes', async () => {
  const { client, order, routes } = await typedSession('typed-errors');
  const ask = (document, diagnostic) =>
    document.ask('codeAction', undefined, { range: diagnostic.range, context: { diagnostics: [diagnostic] } });
  const [schema] = await order.edit('string:1-200', 'strin:1-200');
  assert.equal(schema.code, 'bad-schema');
  assert.deepEqual(schema.range, { start: order.at('"|strin'), end: order.at('"strin|') });
  const [action] = await ask(order, schema);
  assert.equal(action.edit.documentChanges[0].edits[0].newText, 'string');
  await order.edit('strin:1-200', 'string:1-200');
  const [unsupported] = await order.edit('std::vector<Item> items;', 'std::vector<const char*> items;');
  assert.equal(unsupported.code, 'unsupported-type');
  assert.deepEqual(unsupported.range, { start: order.at('> |items'), end: order.at('> items|') });
  assert.ok(unsupported.relatedInformation.some((each) => each.location.uri === routes.uri));
  await order.edit('std::vector<const char*> items;', 'std::vector<Item> items;');
  const [mismatch] = await routes.edit('.items);', '.items.front());');
  assert.equal(mismatch.code, 'response-mismatch');
  await routes.edit('.items.front());', '.items);');
  const own = await routes.edit('FW_EXPORT', 'struct Own {\n  int id;\n};\nFW_EXPORT');
  assert.deepEqual(own, []); // no route uses it
  const [missing] = await routes.edit('fw::type<NewOrder>', 'fw::type<Own>');
  assert.equal(missing.code, 'missing-types-header');
  assert.deepEqual(missing.range, { start: routes.at('struct |Own'), end: routes.at('struct Own|') });
  const [include] = await ask(routes, missing);
  assert.equal(include.edit.documentChanges[0].edits[0].newText, '\n#include "orders.routes.hpp"');
  await client.stop();
});

test('language server: page templates', async () => {
  const { folder, root, client, open } = session('pages');
  mkdirSync(join(folder, 'src/pages'));
  writeFileSync(join(folder, 'src/pages/note.html'), '<h1>{{title}}</h1>\n{{> _footer}}\n');
  writeFileSync(join(folder, 'src/pages/_footer.html'), '<p>{{title}}</p>\n');
  writeFileSync(
    join(folder, 'src/routes/pages.cpp'),
    `#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/",
          {.docs = {.summary = "Show a note", .operation_id = "showNote"},
           .frontend = {.page = "note", .data = {{"title", "string"}}}},
          [](fw::Request&, fw::Response& res) { res.render("note", {{"title", "Tea"}}); });
});
`,
  );
  await client.start(root);
  const routes = open('src/routes/pages.cpp');
  assert.deepEqual(await routes.diagnostics(), []);
  assert.deepEqual(await routes.labels('.page = "no|te"'), ['note']);
  assert.deepEqual(await routes.labels('res.render("no|te"'), ['note']);
  for (const name of ['.page = "no|te"', 'res.render("no|te"']) {
    assert.equal((await routes.ask('definition', name)).uri, `${root}/src/pages/note.html`, name);
  }
  const [missing] = await routes.edit('res.render("note"', 'res.render("notes"');
  assert.equal(missing.code, 'unknown-page');
  await routes.edit('res.render("notes"', 'res.render("note"');
  // Unsaved pages count: a page itself, and a partial that it includes.
  const note = open('src/pages/note.html');
  assert.deepEqual(await note.diagnostics(), []);
  const [unknown] = await note.edit('{{title}}', '{{titel}}');
  assert.equal(unknown.code, 'unknown-page-variable');
  assert.deepEqual(unknown.range.start, note.at('{{|titel'));
  assert.deepEqual(await note.edit('{{titel}}', '{{title}}'), []);
  const footer = open('src/pages/_footer.html');
  assert.deepEqual(await footer.diagnostics(), []);
  const [wrong] = await footer.edit('{{title}}', '{{name}}');
  assert.equal(wrong.code, 'unknown-page-variable');
  assert.deepEqual(await footer.close(), []); // as on disk again
  // A page that is new on disk.
  writeFileSync(join(folder, 'src/pages/other.html'), '<p>Other</p>\n');
  client.notify('workspace/didChangeWatchedFiles', { changes: [] });
  await routes.ask('documentSymbol'); // waits for the analysis
  assert.deepEqual(await routes.labels('res.render("no|te"'), ['note', 'other']);
  await client.stop();
});

test('language server: a change of a header updates the files that include it', async () => {
  const { folder, root, client, open } = session('files');
  writeFileSync(join(folder, 'src/limits.hpp'), '#pragma once\ninline constexpr auto kId = "integer:1-";\n');
  const route = readFileSync(join(folder, 'src/routes/notes.cpp'), 'utf8')
    .replace('fairway.hpp>\n', 'fairway.hpp>\n#include "../limits.hpp"\n')
    .replace('"integer:1-"', 'kId');
  writeFileSync(join(folder, 'src/routes/notes.cpp'), route);
  await client.start(root);
  const limits = open('src/limits.hpp');
  assert.deepEqual(await limits.diagnostics(), []);
  // The unsaved header counts for the route file, which is not open.
  const [unknown] = await limits.edit('integer', 'integr');
  assert.match(unknown.message, /^unknown type 'integr'/);
  await limits.edit('integr', 'integer');
  // A duplicate in another file; its note leads to the first one.
  const other = open('src/routes/other.cpp', '');
  assert.equal((await other.diagnostics()).length, 1); // not on disk yet
  await other.close();
  writeFileSync(
    join(folder, 'src/routes/index.cpp'),
    route
      .replace('"/:id"', '"/notes/:key"')
      .replace('limits.hpp"', 'limits.hpp"\n')
      .replace('post("/"', 'post("/new"')
      .replace('getNote', 'getIt')
      .replace('{"id",', '{"key",'),
  );
  client.notify('workspace/didChangeWatchedFiles', { changes: [] });
  const index = open('src/routes/index.cpp');
  assert.deepEqual(texts(await index.diagnostics()), []);
  const notes = open('src/routes/notes.cpp');
  const [twice] = await notes.diagnostics();
  assert.match(twice.message, /GET \/notes\/:id/);
  assert.equal(twice.relatedInformation[0].location.uri, index.uri);
  // A re-export has the routes of the other file.
  await index.set('#include <fairway/fairway.hpp>\nFW_REEXPORT_DEFAULT("notes.cpp");\n');
  const target = await index.ask('definition', '"notes|.cpp"');
  assert.equal(target.uri, notes.uri);
  assert.match((await notes.ask('hover', 'app.ge|t')).contents.value, /`\/:id`[^]*`\/notes\/:id`/);
  const symbols = await notes.ask('documentSymbol');
  assert.equal(symbols.length, 4);
  // Closing an unsaved file brings back what is on disk.
  assert.deepEqual(await index.close(), []);
  await client.stop();
});

test('language server: a folder without routes, and the exit status', async () => {
  const { folder, root, client } = session('empty', join(here, '../../fuzz/corpus/path'));
  await client.start(root, { workspace: { didChangeWatchedFiles: { dynamicRegistration: true } } });
  const { method, params, id } = await client.take((each) => each.id === 'watch', 'registration');
  assert.equal(method, 'client/registerCapability');
  assert.equal(params.registrations[0].method, 'workspace/didChangeWatchedFiles');
  const [sources, ...others] = params.registrations[0].registerOptions.watchers.map((each) => each.globPattern);
  const endings = /^\*\*\/\*\.\{(.*)\}$/.exec(sources)[1].split(',');
  const watched = ['c', 'cc', 'cpp', 'cxx', 'h', 'hh', 'hpp', 'hxx', 'inc', 'ipp', 'tpp', 'html', 'js', 'css'];
  assert.deepEqual(
    watched.filter((each) => !endings.includes(each)),
    [],
  );
  assert.deepEqual(others, [
    '**/compile_commands.json',
    '**/.fairway.json',
    '**/config/*.{json,yaml,yml}',
    '**/locales/*.json',
  ]);
  client.send({ jsonrpc: '2.0', id, result: null });
  const shown = await client.notified('window/showMessage');
  assert.equal(shown.message, "fairway: source directory 'src' does not exist; specify it with --source-dir");
  cpSync(join(here, 'app'), folder, { recursive: true });
  client.notify('workspace/didChangeWatchedFiles', { changes: [] });
  const notes = new OpenDocument(client, `${root}/src/routes/notes.cpp`, 'broken');
  assert.equal((await notes.diagnostics())[0].code, 'does-not-parse');
  client.notify('exit'); // without a shutdown
  assert.equal(await client.ended, 1);

  const lost = session('lost');
  await lost.client.start(lost.root);
  lost.client.closeInput();
  assert.equal(await lost.client.ended, 1);
});

test('language server: an invalid settings file keeps the last analysis', async () => {
  const { folder, root, client, open } = session('settings');
  await client.start(root);
  const notes = open('src/routes/notes.cpp');
  await notes.diagnostics();
  const before = await notes.ask('documentSymbol');
  assert.ok(before.length > 0);
  writeFileSync(join(folder, '.fairway.json'), '{');
  client.notify('workspace/didChangeWatchedFiles', { changes: [] });
  assert.match((await client.notified('window/showMessage')).message, /\.fairway\.json/);
  client.send(notes.replacing('200', '201')); // the settings are still wrong
  assert.deepEqual(await notes.ask('documentSymbol'), before);
  await client.stop();
});

test('language server: a folder behind a symbolic link', async () => {
  const { folder, client } = session('real');
  symlinkSync(folder, join(scratch, 'link'));
  const root = pathToFileURL(join(scratch, 'link')).href;
  await client.start(root);
  const notes = new OpenDocument(client, `${root}/src/routes/notes.cpp`, 'broken');
  assert.equal((await notes.diagnostics())[0].code, 'does-not-parse');
  await client.stop();
});
