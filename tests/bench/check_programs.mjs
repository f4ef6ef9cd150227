// The programs of the benchmarks start and do what is measured: check_programs.mjs BUILD, which is a build of the preset
// bench with the targets that tools/nightly.sh lists. They are not measured: their loads are as small as they may be.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { freePort, waitForPort, stopProcess } from '../e2e/support/server_process.mjs';
import { makeCertificate, withTls } from './http/certificate.mjs';
import { check } from './http/check.mjs';
import { cases } from './http/load.mjs';
import { Server, casesOf, commands, titles } from './http/servers.mjs';

const build = resolve(process.argv[2] ?? 'build/bench');
const run = promisify(execFile);
const bench = (...path) => join(build, 'tests/bench', ...path);
const folder = mkdtempSync(join(tmpdir(), 'bench-programs-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** What takes part, but is no program of this build. */
const kOthers = ['fastify', 'nghttpd'];
/** What only tools/bench_peers.sh builds. */
const kPeers = ['drogon', 'crow', 'oatpp', 'glaze', 'uwebsockets', 'userver'];

const files = makeCertificate(folder, 'server');
for (const name of Object.keys(titles)) {
  if (kOthers.includes(name) || (kPeers.includes(name) && !existsSync(commands(build, 0)[name][0]))) continue;
  for (const entry of casesOf(name)) {
    test(`benchmarks: ${name} responds to the case ${entry}`, async () => {
      const { environment, config } = withTls(cases[entry], files);
      const port = await freePort();
      const server = await Server.start(name, commands(build, port)[name], port, environment, config);
      try {
        await check(server, entry);
      } finally {
        await server.stop();
      }
    });
  }
}

test('benchmarks: the server with generated routes has the last of them', async () => {
  const port = await freePort();
  const server = await Server.start('routes', commands(build, port).routes, port, { BENCH_ROUTES: '1000' });
  try {
    const response = await fetch(`http://127.0.0.1:${port}/area99/thing999/42`);
    assert.deepEqual([response.status, (await response.json()).data], [200, { id: '42' }]);
  } finally {
    await server.stop();
  }
});

test('benchmarks: the entry for HttpArena responds to its profiles', async () => {
  const item = { id: 1, name: 'a', category: 'b', price: 2, quantity: 3, active: true, tags: ['c'] };
  const dataset = [{ ...item, rating: { score: 4, count: 5 } }];
  mkdirSync(join(folder, 'data/static'), { recursive: true });
  writeFileSync(join(folder, 'data/dataset.json'), JSON.stringify(dataset));
  writeFileSync(join(folder, 'data/static/a.txt'), 'text');
  mkdirSync(join(folder, 'arena/config'), { recursive: true });
  writeFileSync(join(folder, 'arena/config/default.json'), JSON.stringify({ response: { wrap: false } }));
  const port = await freePort();
  const program = spawn(bench('httparena/bench_httparena'), ['--host', '127.0.0.1', '--port', String(port)], {
    cwd: join(folder, 'arena'),
    env: { ...process.env, DATA_DIR: join(folder, 'data') },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await waitForPort(port, program);
    const get = (path, options) => fetch(`http://127.0.0.1:${port}${path}`, options);
    const text = async (...request) => (await get(...request)).text();
    const post = (body) => ({ method: 'POST', body, headers: { 'Content-Type': 'text/plain' } });
    assert.equal(await text('/baseline11?a=13&b=42'), '55');
    assert.equal(await text('/baseline11?a=13&b=42', post('20')), '75');
    assert.equal(await text('/pipeline'), 'ok');
    assert.equal(await text('/upload', post('x'.repeat(100_000))), '100000');
    assert.equal(await text('/static/a.txt'), 'text');
    const page = await (await get('/json/1?m=7')).json();
    assert.deepEqual(page, { items: [{ ...dataset[0], total: 42 }], count: 1 });
  } finally {
    await stopProcess(program);
  }
});

test('benchmarks: the programs for calls and the proxy reach an upstream', async () => {
  const body = JSON.stringify({ message: 'Hello, World!' });
  const upstream = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);
  });
  await new Promise((listening) => upstream.listen(0, '127.0.0.1', listening));
  const address = `http://127.0.0.1:${upstream.address().port}`;
  try {
    for (const name of ['fetch', 'multi']) {
      const { stdout } = await run(bench(`outbound/bench_outbound_${name}`), [`${address}/small.json`, '2', '1']);
      assert.ok(JSON.parse(stdout).rate > 0, `${name}: ${stdout}`);
    }
    const port = await freePort();
    const command = [bench('outbound/bench_outbound_gateway'), '--host', '127.0.0.1', '--port', String(port)];
    const config = { fetch: { proxy: [{ name: 'upstream', baseURL: address }] }, app: { slow: `${address}/slow` } };
    const gateway = await Server.start('fairway', command, port, {}, config);
    try {
      const proxied = await fetch(`http://127.0.0.1:${port}/small.json`);
      assert.equal(await proxied.text(), body);
      const fetched = await fetch(`http://127.0.0.1:${port}/slow`);
      assert.deepEqual((await fetched.json()).data, JSON.parse(body));
    } finally {
      await gateway.stop();
    }
  } finally {
    upstream.close();
    upstream.closeAllConnections();
  }
});

/** Programs that start a server themselves, with the least load: folder, program, server, and further arguments. */
const kMeasurements = {
  'the pipelining clients': ['pipelining', 'bench_pipelining', 'tests/wire/wire_server', '1'],
  'the slow clients': ['slow_loris', 'bench_slow_loris', 'tests/wire/wire_server', '50'],
  'the waiting handlers': ['waiting', 'bench_waiting', 'tests/wire/wire_server', '50', '10'],
  'the streams and sockets': ['push', 'bench_push', 'tests/bench/http/bench_http_fairway'],
  'the renewals': ['renewals', 'bench_renewals', 'tests/bench/renewals/bench_renewals_server', '1'],
};
for (const [name, [place, program, server, ...rest]] of Object.entries(kMeasurements)) {
  test(`benchmarks: ${name} are measured`, async () => {
    const { stdout } = await run(bench(place, program), [join(build, server), ...rest]).catch((error) => {
      if (error.code !== 1) throw error; // 1 is its judgement of the figures, which are not measured here
      return error;
    });
    assert.match(stdout, /[1-9]/);
  });
}

test('benchmarks: the client reads responses', async () => {
  for (const reader of ['reader', 'tree']) {
    for (const body of ['order', 'sorted', 'list']) await run(bench('client/bench_client'), [reader, body, '10']);
  }
});

test('benchmarks: the route compiler is measured', async () => {
  const { stdout } = await run(bench('compiler/bench_compiler'), ['--files', '10', '--sample', '5']);
  assert.ok(stdout.split('\n').length > 4, stdout);
});
