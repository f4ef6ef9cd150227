// Writes an application with a route for each feature and for each pair of features, and the settings of
// its contract test, which compares all responses with the document: generate.mjs FOLDER STRIDE
// STRIDE 1 writes all pairs, and STRIDE n one of n.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

// What a feature adds to a route. `options`: members of fw::RouteOptions; `validate`: of fw::Validate;
// `before`: statements of the handler; `send`: one of the responses that the handler chooses in turn.
const features = {
  path: { path: '/:id', validate: { param: '{{"id", "integer:1-"}}' } },
  query: { validate: { query: '{{"limit", "integer:1-10"}, {"sort", "enum:name,date?"}}' } },
  header: { validate: { header: '{{"x-tenant", "string:1-5"}}' } },
  cookie: { validate: { cookie: '{{"flavour", "enum:sweet,salty?"}}' } },
  body: { method: 'post', validate: { body: '{{"name", "string:1-5"}, {"tags", "array<string>?"}}' } },
  csrf: { method: 'post', options: { csrf: null } },
  upload: {
    method: 'post',
    options: { multipart: '{.enabled = true, .files = {{"picture", {.required = true}}}, .max_file_size = "1kb"}' },
    body: { picture: { file: 'picture.png' } },
  },
  form: { method: 'post', options: { multipart: '{.enabled = true, .fields = true}' } },
  largest: {
    method: 'post',
    options: { body_parser: '{.max_body_size = "100b"}' },
    validate: { body: '{{"name", "string:1-20"}}' },
  },
  signed: { method: 'post', parameters: 'fw::Body<Draft> draft', before: 'titles += draft->title->size();' },
  listed: { parameters: 'fw::Query<Filter> filter', before: 'titles += static_cast<std::size_t>(filter->page);' },
  auth: { options: { auth: 'true' } },
  role: { options: { auth: 'fw::AuthRequirement{.roles = {"admin"}}' } },
  session: { options: { session: 'true' }, before: 'req.session().set("seen", true);' },
  rate: { options: { override_: '{.rate_limit = fw::RateLimitOptions{.max = 12, .window = 600}}' } },
  cache: { method: 'get', options: { cache: "60'000" } },
  partition: {
    method: 'get',
    options: {
      cache:
        'fw::RouteCacheOptions{.ttl = 60\'000, .headers = {"x-tenant"}, .partition_key = [](fw::Request& r) { return r.auth().user_id; }}',
    },
  },
  timeout: { options: { timeout: '60' }, before: 'if (turn() % 7 == 6) sleep(150);' },
  middleware: { options: { middlewares: '{"refuses"}' } },
  compression: { options: { compression: 'true' } },
  error: { before: 'if (turn() % 5 == 1) fw::raise(409, "taken", "taken");' },
  missing: { before: 'find(turn());' },
  language: { before: 'res.set_header("x-greeting", req.t("greeting"));' },
  created: { responses: { 201: 'kItem' }, send: 'res.json(item(), 201);' },
  empty: { send: 'res.status(204).end();' },
  text: { send: 'res.text("text");' },
  redirect: { send: 'res.redirect("/elsewhere", 307);' },
  raw: {
    responses: { 202: 'kItem' },
    send: 'res.status(202).raw_json({{"code", 0}, {"data", item()}, {"requestId", "1"}});',
  },
  stream: { send: 'res.stream(fw::Readable(std::string("a,b")), "text/csv");' },
  download: { send: 'res.download(fw::Readable(std::string("%PDF")), "a.pdf", "application/pdf");' },
  page: { method: 'get', send: 'res.render("hello", {{"name", "a"}});' },
  events: {
    method: 'get',
    responses: { 200: 'fw::events({{"tick", {{"id", "integer"}}}})' },
    send: 'auto stream = res.events(); stream.send("tick", {{"id", 1}}); stream.close();',
  },
  value: { result: 'Item', parameters: '', send: 'return Item{.id = 1, .name = "a"};' },
  several: {
    result: 'std::variant<fw::Created<Item>, fw::NoContent>',
    send: 'if (turn() % 2 == 0) return fw::NoContent{}; return fw::Created<Item>{{.id = 1, .name = "a"}};',
  },
};

const order = [
  'validate',
  'auth',
  'cache',
  'middlewares',
  'responses',
  'docs',
  'multipart',
  'session',
  'body_parser',
  'csrf',
  'override_',
  'timeout',
  'compression',
];

/// Why two features cannot be in one route; nothing if they can.
function conflict(names) {
  const chosen = names.map((name) => features[name]);
  const all = (member) => chosen.map(member).filter((value) => value !== undefined);
  if (new Set(all((f) => f.method)).size > 1) return 'different methods';
  for (const option of order) {
    if (all((f) => f.options?.[option]).length > 1) return `both have ${option}`;
  }
  const bodies = names.filter((name) => ['body', 'upload', 'form', 'largest', 'signed'].includes(name));
  const forms = { 'body,form': 1, 'form,body': 1 };
  if (bodies.length > 1 && !forms[bodies.join()]) return 'two kinds of body';
  const results = all((f) => f.result);
  if (results.length > 0 && all((f) => f.send).length > 1) return 'a result and another response';
  const statuses = chosen.flatMap((f) => Object.keys(f.responses ?? {}));
  if (new Set(statuses).size < statuses.length) return 'two schemas of a status';
  if (names.includes('events') && all((f) => f.send).length > 1) return 'a stream of events is the only response';
  if (names.includes('events') && all((f) => f.options?.cache).length > 0) return 'a stream of events is not cached';
  if (names.includes('signed') && names.some((name) => features[name].validate?.body)) return 'two schemas of the body';
  if (names.includes('listed') && names.includes('query')) return 'two schemas of the query';
  return undefined;
}

function route(names) {
  const chosen = names.map((name) => features[name]);
  const method = chosen.map((f) => f.method).find(Boolean) ?? 'get';
  const id = names.map((name, i) => (i ? name[0].toUpperCase() + name.slice(1) : name)).join('And');
  const options = { csrf: 'false' };
  const validate = {};
  const responses = {};
  for (const feature of chosen) {
    Object.assign(options, feature.options);
    Object.assign(validate, feature.validate);
    Object.assign(responses, feature.responses);
  }
  if (options.csrf === null || method === 'get') delete options.csrf;
  const result = chosen.map((f) => f.result).find(Boolean);
  const sends = chosen.map((f) => f.send).filter(Boolean);
  if (sends.length === 0) {
    sends.push('res.json(item());');
    responses[200] = 'kItem';
  }
  const members = Object.entries(validate);
  if (members.length > 0) {
    const sorted = ['param', 'query', 'header', 'cookie', 'body'].filter((name) => validate[name]);
    options.validate = `{${sorted.map((name) => `.${name} = ${validate[name]}`).join(', ')}}`;
  }
  const statuses = Object.entries(responses);
  if (statuses.length > 0) {
    options.responses = `{${statuses.map(([status, schema]) => `{"${status}", ${schema}}`).join(', ')}}`;
  }
  options.docs = `{.summary = "${names.join(' and ')}", .operation_id = "${id}"}`;
  const listed = order.filter((name) => options[name]).map((name) => `.${name} = ${options[name]}`);
  const parameters = [
    'fw::Request& req',
    ...(result ? [] : ['fw::Response& res']),
    ...chosen.map((f) => f.parameters).filter(Boolean),
  ];
  const before = chosen.map((f) => f.before).filter(Boolean);
  if (result && before.some((text) => text.includes('res.'))) return undefined;
  const body = sends.length > 1 ? `if (turn() % 2 == 0) { ${sends[0]} } else { ${sends[1]} }` : sends[0];
  return {
    id,
    names,
    text: `  app.${method}("/${names.join('-')}${chosen.map((f) => f.path ?? '').join('')}", {${listed.join(',\n      ')}},
      [](${parameters.join(', ')})${result ? ` -> ${result}` : ''} {
        static std::atomic<int> turns = 0;
        [[maybe_unused]] const auto turn = [] { return turns++; };
        (void)req;
        ${[...before, body].join('\n        ')}
      });
`,
  };
}

const [folder, stride] = process.argv.slice(2);
const names = Object.keys(features);
const routes = [];
let pairs = 0;
for (let i = 0; i < names.length; ++i) {
  for (let j = i; j < names.length; ++j) {
    const chosen = i === j ? [names[i]] : [names[i], names[j]];
    const written = conflict(chosen) === undefined ? route(chosen) : undefined;
    if (written && (i === j || pairs++ % Number(stride) === 0)) routes.push(written);
  }
}

/// Leaves a file that would not change as old as it is.
function write(path, text) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  let current;
  try {
    current = readFileSync(file, 'utf8');
  } catch {
    // It is new.
  }
  if (current !== text) writeFileSync(file, text);
}

const head = (file) => `// Written by generate.mjs.
#include <fairway/fairway.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <variant>

#include "../types.hpp"
#include "part${file}.routes.hpp"

namespace {

const fw::SchemaMap kItem = {{"id", "integer"}, {"name", "string"}};

[[maybe_unused]] std::atomic<std::size_t> titles = 0;

[[maybe_unused]] fw::Json item() { return {{"id", 1}, {"name", "a"}}; }
[[maybe_unused]] void sleep(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}
[[maybe_unused]] void find(int id) {
  if (id % 4 == 3) fw::raise(404, "no such thing");
}

}  // namespace
`;
const kRoutesInFile = 60;
for (let first = 0, file = 0; first < routes.length; first += kRoutesInFile, ++file) {
  const texts = routes.slice(first, first + kRoutesInFile).map((each) => each.text);
  write(
    `src/routes/part${file}.cpp`,
    `${head(file)}
FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
${texts.join('\n')}});
`,
  );
}
const files = Math.ceil(routes.length / kRoutesInFile);
for (const name of readdirSync(join(folder, 'src/routes'))) {
  const part = name.match(/^part(\d+)\.cpp$/);
  if (part && Number(part[1]) >= files) rmSync(join(folder, 'src/routes', name));
}
write(
  'src/types.hpp',
  `// Written by generate.mjs.
#pragma once

#include <fairway/fairway.hpp>

#include <cstdint>
#include <string>

struct Item {
  std::int64_t id;
  std::string name;
};

struct Draft {
  fw::Field<"string:1-10"> title;
};

struct Filter {
  fw::Field<"integer:1-9"> page = 1;
};
`,
);
write(
  'src/routes/tokens.cpp',
  `// Written by generate.mjs.
#include <fairway/fairway.hpp>

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
  app.get("/csrf",
          {.responses = {{"200", {{"token", "string"}}}}, .docs = {.summary = "A token", .operation_id = "token"}},
          [](fw::Request& req, fw::Response& res) { res.json({{"token", req.csrf_token()}}); });
});
`,
);
write(
  'src/middlewares/refuses.cpp',
  `// Written by generate.mjs.
#include <fairway/fairway.hpp>

#include <atomic>

FW_EXPORT_DEFAULT = fw::define_middleware([](fw::Request&, fw::Response&, fw::Next next) {
  static std::atomic<int> turns = 0;
  next();  // Invalid requests do not return.
  if (turns++ % 6 == 5) fw::raise(423, "locked");
});
`,
);
write('src/pages/hello.html', '<!doctype html>\n<title>Hello</title>\n<p>{{ name }}</p>\n');
write('locales/en-US.json', '{"greeting": "Hello"}\n');
write('picture.png', 'a picture');
write(
  'config/default.json',
  `${JSON.stringify(
    {
      logger: { level: 'error' },
      session: { enabled: true },
      csrf: { enabled: true },
      etag: 'weak',
      rateLimit: { enabled: true, max: 1000000, window: 60 },
      compression: { enabled: true, minSize: '1b' },
      middlewares: ['refuses'],
      cors: { enabled: true, origins: ['https://one.example'] },
      securityHeaders: { enabled: true },
    },
    undefined,
    2,
  )}\n`,
);
write(
  'src/main.cpp',
  `// Written by generate.mjs.
#include <fairway/app_table.hpp>
#include <fairway/fairway.hpp>

#include <optional>
#include <string>
#include <string_view>

int main(int argc, char** argv) {
  fw::App app(fw::load_config(argc, argv));
  app.use(fw::auth({.optional = true,
                    .verify = [](std::string_view token, fw::Request&) -> std::optional<fw::AuthIdentity> {
                      if (token != "admin") return std::nullopt;
                      return fw::AuthIdentity{.user_id = "ada", .roles = {"admin"}};
                    }}));
  app.mount(fairway_app());
  return app.listen();
}
`,
);
const operations = {};
for (const { id, names: chosen } of routes) {
  const body = chosen.map((name) => features[name].body).find(Boolean);
  if (body) operations[id] = { body };
}
write(
  'contract.json',
  `${JSON.stringify(
    {
      headers: { 'x-csrf-token': '${csrf}' },
      credentials: { authorization: 'Bearer admin' },
      before: [{ method: 'GET', target: '/tokens/csrf', save: { csrf: '/data/token' } }],
      operations,
    },
    undefined,
    2,
  )}\n`,
);
console.log(`${routes.length} routes`);
