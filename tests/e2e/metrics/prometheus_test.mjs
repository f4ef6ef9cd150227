// A real Prometheus scrapes the orders sample while it is under load: what its queries say is what the client has
// counted, for one process and for a cluster. Usage: prometheus_test.mjs PROMETHEUS PROGRAM FOLDER_OF_THE_SAMPLE
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { startSample } from '../support/sample_process.mjs';
import { freePort, waitForPort } from '../support/server_process.mjs';

const [prometheus, program, sampleDir] = process.argv.slice(2);
const requestsOfEach = 300;
const connections = 16;

const targets = [
  { route: '/products', path: '/products?category=books' },
  { route: '/products/:id', path: '/products/1' },
  { route: '/products/:id', path: '/products/999' },
  { route: '/products/:id', path: '/products/none' },
  { route: '/orders', path: '/orders' },
  { route: '/orders', path: '/orders', body: '{"customerId": 1, "items": 7}' },
  { route: '', path: '/unknown' },
];

async function startPrometheus(scraped) {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-prometheus-'));
  const file = join(folder, 'prometheus.yml');
  writeFileSync(
    file,
    `global: {scrape_interval: 200ms, scrape_timeout: 200ms}
scrape_configs:
  - {job_name: orders, static_configs: [{targets: ['127.0.0.1:${scraped}']}]}
`,
  );
  const port = await freePort();
  const child = spawn(
    prometheus,
    [`--config.file=${file}`, `--storage.tsdb.path=${folder}/data`, `--web.listen-address=127.0.0.1:${port}`],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let log = '';
  child.stderr.on('data', (text) => (log += text));
  const ended = new Promise((resolve) => child.on('exit', resolve));
  await waitForPort(port, child).catch(() => assert.fail(log));
  // It listens before it responds to queries.
  while (!(await fetch(`http://127.0.0.1:${port}/-/ready`)).ok) await sleep(50);
  return {
    async query(expression) {
      const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`;
      const { status, data, error } = await (await fetch(url)).json();
      assert.equal(status, 'success', error);
      return data.result;
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function send(url, agent, { path, body }) {
  return new Promise((resolve, reject) => {
    const method = body ? 'POST' : 'GET';
    const headers = body ? { 'Content-Type': 'application/json' } : {};
    const request = http.request(url + path, { method, headers, agent }, (response) => {
      response.resume().on('end', () => resolve({ method, status: response.statusCode }));
    });
    request.on('error', reject).end(body);
  });
}

/** The number of responses by their labels. */
async function load(url) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const counts = new Map();
  const left = targets.flatMap((target) => Array(requestsOfEach).fill(target));
  const sender = async () => {
    for (let target; (target = left.pop());) {
      const { method, status } = await send(url, agent, target);
      const key = `${method} ${target.route} ${status}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: connections }, sender));
  agent.destroy();
  return counts;
}

const byLabels = (result) =>
  new Map(
    result.map(({ metric, value }) => [
      `${metric.http_request_method} ${metric.http_route ?? ''} ${metric.http_response_status_code}`,
      Number(value[1]),
    ]),
  );
const sorted = (counts) => [...counts].sort();

for (const workers of [1, 2]) {
  test(`prometheus: counts what the client has counted, with ${workers} process${workers > 1 ? 'es' : ''}`, async () => {
    const adminPort = await freePort();
    const sample = await startSample(program, sampleDir, {
      folders: ['config', 'locales'],
      local: { admin: { port: adminPort }, cluster: { enabled: workers > 1, workers } },
    });
    const server = await startPrometheus(adminPort);
    try {
      while ((await server.query('up == 1')).length === 0) await sleep(50);
      const counted = await load(sample.url);
      assert.ok(counted.size >= 6, 'several routes, methods and statuses');
      const labels = 'http_request_method, http_route, http_response_status_code';
      const family = 'http_server_request_duration_seconds';
      let found;
      for (let scrapes = 0; scrapes < 300; ++scrapes) {
        found = byLabels(await server.query(`sum by (${labels}) (${family}_count)`));
        if (sorted(found).join() === sorted(counted).join()) break;
        await sleep(100);
      }
      assert.deepEqual(sorted(found), sorted(counted));
      const largest = byLabels(await server.query(`sum by (${labels}) (${family}_bucket{le="+Inf"})`));
      assert.deepEqual(sorted(largest), sorted(counted));
      const slow = await server.query(`histogram_quantile(0.99, sum by (le) (rate(${family}_bucket[1m]))) > 0`);
      assert.equal(slow.length, 1);
      // It has scraped during the load, not only after it.
      const [{ value }] = await server.query(`count_over_time(up[10m])`);
      assert.ok(Number(value[1]) >= 2);
    } finally {
      await server.stop();
      await sample.stop();
    }
  });
}
