// How long the language server takes, from the notification of a keystroke to the diagnostics, and
// from a request to its response. Prints a table in Markdown. Not a test: run it with a release build.
// Usage: latency.mjs FAIRWAY INCLUDE_DIR [REPEATS]
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LspClient, OpenDocument } from '../../e2e/lsp/client.mjs';

const [fairway, include] = process.argv.slice(2, 4).map((path) => resolve(path));
const repeats = Number(process.argv[4] ?? 30);
LspClient.patience = 600_000;

const kinds = [
  (n) => `
  app.get("/item${n}/:id",
          {
              .validate = {.param = {{"id", "integer:1-"}},
                           .query = {{"fields", "string:1-200?"}, {"page", "integer:1-?"}}},
              .middlewares = {"audit-log"},
              .responses = {{"200", {{"id", "integer"}, {"name", "string"}, {"price", "number"}}}},
              .docs = {.summary = "Read item ${n}", .tags = {"items"}, .operation_id = "readItem${n}"},
          },
          [&app](fw::Request& req, fw::Response& res) {
            const auto id = req.param("id");
            if (!id) app.raise(404, "no such item");
            res.json({{"id", *id}, {"name", "item ${n}"}, {"price", 12.5}});
          });
`,
  (n) => `
  app.post("/item${n}",
           {
               .validate = {.body = {{"name", "string:1-50"},
                                     {"email", "email"},
                                     {"address", {{"city", "string"}, {"zip", "string:5?"}}},
                                     {"tags", fw::array_of({{"key", "string"}, {"value", "string"}})}}},
               .auth = true,
               .responses = {{"201", {{"id", "uuid"}, {"name", "string"}}}},
               .docs = {.summary = "Create item ${n}", .operation_id = "createItem${n}"},
           },
           [](fw::Request& req, fw::Response& res) {
             const auto& body = req.body();
             res.status(201).json({{"id", "none"}, {"name", body["name"]}});
           });
`,
];

function routeFile(file, routes, headers) {
  const body = Array.from({ length: routes }, (_, index) => kinds[index % kinds.length](`${file}x${index}`));
  const includes = headers.map((name) => `#include <${name}>\n`).join('');
  return `#include <fairway/fairway.hpp>\n${includes}
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {${body.join('')}});\n`;
}

const middleware = `#include <fairway/fairway.hpp>
FW_EXPORT_DEFAULT =
    fw::define_middleware([](fw::Request&, fw::Response&, fw::Next next) { next(); });
`;

function write(file, text) {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
}

async function timed(work) {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** The median, the 95th percentile and the maximum of repeated work. */
async function measure(name, work) {
  const times = [];
  for (let index = 0; index < repeats; ++index) times.push(await timed(() => work(index)));
  times.sort((a, b) => a - b);
  const at = (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))].toFixed(0);
  return [name, at(0.5), at(0.95), times.at(-1).toFixed(0)];
}

async function run(title, files, routes, headers = []) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'fairway-lsp-bench-')));
  for (let file = 0; file < files; ++file) {
    write(join(folder, `src/routes/part${file}.cpp`), routeFile(file, routes, headers));
  }
  write(join(folder, 'src/middlewares/audit-log.cpp'), middleware);
  const client = new LspClient(
    [fairway, 'lsp', '--cache-dir', join(folder, 'cache'), '--', '-std=c++20', `-I${include}`],
    folder,
  );
  const rows = [];
  try {
    await client.start(pathToFileURL(folder).href);
    let document;
    const first = await timed(async () => {
      document = new OpenDocument(
        client,
        pathToFileURL(join(folder, 'src/routes/part0.cpp')).href,
        routeFile(0, routes, headers),
      );
      await document.diagnostics();
    });
    rows.push(['first diagnostics, nothing cached', ...Array(3).fill(first.toFixed(0))]);
    // An error comes, and goes, with one key.
    rows.push(
      await measure('keystroke in a schema', (index) =>
        index % 2 === 0 ? document.edit('"integer:1-"', '"intege:1-"') : document.edit('"intege:1-"', '"integer:1-"'),
      ),
    );
    rows.push(
      await measure('keystroke in a handler', (index) =>
        index % 2 === 0
          ? document.edit('no such item', 'no such items')
          : document.edit('no such items', 'no such item'),
      ),
    );
    rows.push(await measure('hover', () => document.ask('hover', 'app.ge|t(')));
    rows.push(await measure('completion', () => document.ask('completion', '"integer|:1-"')));
    rows.push(await measure('definition', () => document.ask('definition', '"audit|-log"')));
    rows.push(await measure('symbols', () => document.ask('documentSymbol')));
    await client.stop();
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  for (const row of rows) console.log(`| ${[title, ...row].join(' | ')} |`);
}

console.log('| application | event | median ms | 95 % ms | maximum ms |\n|---|---|--:|--:|--:|');
await run('1 file, 20 routes', 1, 20);
await run('1 file, 20 routes, heavy includes', 1, 20, [
  'regex',
  'filesystem',
  'ranges',
  'iostream',
  'random',
  'thread',
]);
await run('50 files, 1000 routes', 50, 20);
await run('200 files, 4000 routes', 200, 20);
