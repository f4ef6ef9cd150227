// Outbound calls and the proxy: `node run.mjs --build DIR [--rounds 5] [--seconds 2] [--in-flight 2000]
// [--json FILE]`. The upstream is nginx; one that responds after 200 ms is a Node server here.
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { load, median } from '../http/load.mjs';
import { Server, listens } from '../http/servers.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const run = promisify(execFile);
const { values: options } = parseArgs({
  options: {
    build: { type: 'string', default: 'build/bench' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    'in-flight': { type: 'string', default: '2000' },
    port: { type: 'string', default: '18080' },
    json: { type: 'string' },
  },
});
const port = Number(options.port);
const rounds = Number(options.rounds);
const program = (name) => resolve(options.build, 'tests/bench/outbound', `bench_outbound_${name}`);
const folder = mkdtempSync(join(tmpdir(), 'bench-outbound-'));

const body = JSON.stringify({ message: 'Hello, World!', version: 1, ok: true });
writeFileSync(join(folder, 'small.json'), body);
writeFileSync(
  join(folder, 'nginx.conf'),
  `
daemon off;
user ${userInfo().username};
worker_processes 2;
pid ${folder}/pid;
error_log ${folder}/error.log crit;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
  uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  types { application/json json; }
  keepalive_requests 1000000;
  open_file_cache max=10;
  server { listen 127.0.0.1:${port}; root ${folder}; }
  upstream small { server 127.0.0.1:${port}; keepalive 128; }
  server {
    listen 127.0.0.1:${port + 1};
    location / { proxy_pass http://small; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
`,
);

async function fetchers() {
  const url = `http://127.0.0.1:${port}/small.json`;
  const args = [url, options.connections, options.seconds];
  const clients = {
    'app.fetch': [program('fetch'), ...args],
    "libcurl's multi interface": [program('multi'), ...args],
    "Node's undici": [process.execPath, join(here, 'node/undici.mjs'), ...args],
  };
  const results = new Map(Object.keys(clients).map((name) => [name, []]));
  for (let round = 0; round < rounds; ++round) {
    for (const [name, [command, ...rest]] of Object.entries(clients)) {
      results.get(name).push(JSON.parse((await run(command, rest)).stdout));
    }
  }
  return summary(results);
}

async function proxies(gateway) {
  const fastify = await Server.start(
    'proxy',
    [process.execPath, join(here, 'node/proxy.mjs'), String(port + 3), `http://127.0.0.1:${port}`],
    port + 3,
  );
  const servers = { 'app.fetch.proxy': gateway, '@fastify/http-proxy': fastify };
  const results = new Map([...Object.keys(servers), 'nginx proxy_pass'].map((name) => [name, []]));
  // nginx also serves the upstream: its processor time is meaningless.
  const nginxProxy = { port: port + 1, cpu: () => 0, truncateLog() {} };
  try {
    for (let round = 0; round <= rounds; ++round) {
      // the first warms up
      for (const [name, server] of [...Object.entries(servers), ['nginx proxy_pass', nginxProxy]]) {
        const result = await load(
          server,
          { path: '/small.json' },
          Number(options.connections),
          Number(options.seconds),
        );
        if (round > 0) results.get(name).push(result);
      }
    }
  } finally {
    await fastify.stop();
  }
  return summary(results);
}

/** All at once: when the last one has its response, and how much memory that took. */
async function inFlight(gateway) {
  const count = Number(options['in-flight']);
  const agent = new http.Agent({ keepAlive: true, maxSockets: count });
  const get = () =>
    new Promise((done, failed) => {
      http
        .get({ port: gateway.port, host: '127.0.0.1', path: '/slow', agent }, (response) => {
          response
            .resume()
            .on('end', () => (response.statusCode === 200 ? done() : failed(new Error(String(response.statusCode)))));
        })
        .on('error', failed);
    });
  const before = gateway.memory();
  const results = [];
  let memory = before;
  for (let round = 0; round < rounds; ++round) {
    const begin = Date.now();
    const watch = setInterval(() => {
      memory = Math.max(memory, gateway.memory());
    }, 20);
    await Promise.all(Array.from({ length: count }, get));
    clearInterval(watch);
    results.push(Date.now() - begin);
  }
  agent.destroy();
  return { count, milliseconds: median(results), before, memory };
}

function summary(results) {
  return [...results].map(([name, list]) => ({
    name,
    rate: median(list.map((one) => one.rate)),
    cpu: median(list.map((one) => one.cpu)),
  }));
}

function print(title, rows) {
  console.log(`\n### ${title}\n\n| | requests/s | CPU us/request | Fairway: times its requests/s |\n|---|--:|--:|--:|`);
  for (const row of rows) {
    const cpu = row.cpu > 0 ? row.cpu.toFixed(1) : '';
    console.log(`| ${row.name} | ${Math.round(row.rate)} | ${cpu} | ${(rows[0].rate / row.rate).toFixed(2)} |`);
  }
}

const slow = http.createServer((request, response) => {
  setTimeout(() => response.setHeader('content-type', 'application/json').end(body), 200);
});
slow.keepAliveTimeout = 60_000;
const nginx = spawn('nginx', ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')], {
  stdio: 'inherit',
});
let gateway;
try {
  await new Promise((listening) => slow.listen({ port: port + 4, host: '127.0.0.1', backlog: 4096 }, listening));
  await listens(port, nginx);
  gateway = await Server.start(
    'fairway',
    [program('gateway'), '--port', String(port + 2), '--host', '127.0.0.1'],
    port + 2,
    {},
    {
      server: { maxWorkers: Number(options['in-flight']) + 100 },
      fetch: { proxy: [{ name: 'upstream', baseURL: `http://127.0.0.1:${port}` }] },
      app: { slow: `http://127.0.0.1:${port + 4}/` },
    },
  );
  const fetched = await fetchers();
  print(`Fetch of a small JSON, ${options.connections} at once`, fetched);
  const proxied = await proxies(gateway);
  print(`Proxy, ${options.connections} connections`, proxied);
  const waiting = await inFlight(gateway);
  const mebibytes = (bytes) => (bytes / 1024 / 1024).toFixed(0);
  console.log(
    `\n### ${waiting.count} requests in flight, each 200 ms at the upstream\n\nThe last response after ` +
      `${waiting.milliseconds} ms; memory ${mebibytes(waiting.before)} MB before, ${mebibytes(waiting.memory)} MB at most.`,
  );
  if (options.json) writeFileSync(options.json, JSON.stringify({ fetched, proxied, waiting }, null, 1));
} finally {
  await gateway?.stop();
  nginx.kill('SIGTERM');
  slow.closeAllConnections();
  slow.close();
  rmSync(folder, { recursive: true, force: true });
}
