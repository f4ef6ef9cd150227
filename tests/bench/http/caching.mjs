// The cost of responses that are not rendered again: a hit of the response cache and a 304 against the
// cheapest GET, and a file of 64 KB against nginx.
// `node caching.mjs --build DIR [--rounds 5] [--seconds 2] [--connections 64]`
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { load, median } from './load.mjs';
import { nginxCommand } from './nginx.mjs';
import { Server, commands } from './servers.mjs';

const { values: options } = parseArgs({
  options: {
    build: { type: 'string', default: 'build/bench' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    port: { type: 'string', default: '18120' },
  },
});
const kConnections = Number(options.connections);
const kPort = Number(options.port);

const site = mkdtempSync(join(tmpdir(), 'bench-site-'));
writeFileSync(join(site, 'file.bin'), Buffer.alloc(64 * 1024, 'x'));

function nginx(port, sendfile) {
  return nginxCommand(site, port, { http: `sendfile ${sendfile}; tcp_nopush ${sendfile};` });
}

/** The medians of the rounds of each [name, server, test]; the rounds are interleaved. */
async function measure(entries) {
  const rounds = new Map(entries.map(([name]) => [name, []]));
  for (const [, server, test] of entries) await load(server, test, kConnections, 1);
  for (let round = 0; round < Number(options.rounds); ++round) {
    for (const [name, server, test] of entries) {
      rounds.get(name).push(await load(server, test, kConnections, Number(options.seconds)));
    }
  }
  const result = {};
  console.log('\n| | requests/s | CPU us/request | p99 ms | errors |\n|---|--:|--:|--:|--:|');
  for (const [name, list] of rounds) {
    const figure = (key) => median(list.map((one) => one[key]));
    const errors = list.reduce((sum, one) => sum + one.errors, 0);
    result[name] = { rate: figure('rate'), cpu: figure('cpu') };
    console.log(
      `| ${name} | ${Math.round(figure('rate'))} | ${figure('cpu').toFixed(1)} | ${figure('p99').toFixed(2)} | ${errors} |`,
    );
  }
  return result;
}

const servers = [];
try {
  const config = { static: [{ prefix: '/static', root: site }] };
  const ours = await Server.start('fairway', commands(options.build, kPort).fairway, kPort, {}, config);
  servers.push(ours);
  const off = await Server.start('nginx', nginx(kPort + 1, 'off'), kPort + 1);
  servers.push(off);
  const on = await Server.start('nginx', nginx(kPort + 2, 'on'), kPort + 2);
  servers.push(on);

  const file = { path: '/file.bin' };
  const cheap = await measure([
    ['cheapest GET', ours, { path: '/hello' }],
    ['cache hit', ours, { path: '/cached' }],
    ['304', ours, { path: '/cached', headers: { 'If-None-Match': '"1"' } }],
  ]);
  const files = await measure([
    ['Fairway, 64 KB file', ours, { path: '/static/file.bin' }],
    ['nginx, sendfile off', off, file],
    ['nginx, sendfile on', on, file],
  ]);
  const limits = [
    ['CPU of a cache hit / cheapest GET', cheap['cache hit'].cpu / cheap['cheapest GET'].cpu, 1.2, 'at most'],
    ['CPU of a 304 / cheapest GET', cheap['304'].cpu / cheap['cheapest GET'].cpu, 1, 'at most'],
    [
      'requests/s of a file / nginx, sendfile off',
      files['Fairway, 64 KB file'].rate / files['nginx, sendfile off'].rate,
      1,
      'at least',
    ],
    [
      'requests/s of a file / nginx, sendfile on',
      files['Fairway, 64 KB file'].rate / files['nginx, sendfile on'].rate,
      0.7,
      'at least',
    ],
  ];
  console.log('\n| what | limit | measured | |\n|---|--:|--:|---|');
  for (const [what, value, limit, direction] of limits) {
    const reached = direction === 'at least' ? value >= limit : value <= limit;
    console.log(`| ${what} | ${direction} ${limit} | ${value.toFixed(2)} | ${reached ? 'reached' : 'not reached'} |`);
  }
} finally {
  for (const server of servers) await server.stop();
  rmSync(site, { recursive: true, force: true });
}
