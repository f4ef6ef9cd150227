// What pages cost: a list of 20 products against Fastify with its mustache view, and a static page
// against a static file of the same size.
// `node pages.mjs --build DIR [--rounds 5] [--seconds 2] [--connections 64]`
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { load, median } from './load.mjs';
import { Server, commands } from './servers.mjs';

const { values: options } = parseArgs({
  options: {
    build: { type: 'string', default: 'build/bench' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    port: { type: 'string', default: '18130' },
  },
});
const kConnections = Number(options.connections);
const kPort = Number(options.port);
const site = mkdtempSync(join(tmpdir(), 'bench-site-'));
const servers = [];

try {
  const config = { static: [{ prefix: '/static', root: site }] };
  const ours = await Server.start('fairway', commands(options.build, kPort).fairway, kPort, {}, config);
  servers.push(ours);
  const fastify = await Server.start('fastify', commands(options.build, kPort + 1).fastify, kPort + 1);
  servers.push(fastify);
  const page = await (await fetch(`http://127.0.0.1:${kPort}/pages/static`)).text();
  writeFileSync(join(site, 'page.html'), page);

  const entries = [
    ['Fairway, list', ours, { path: '/pages/list' }],
    ['Fastify, list', fastify, { path: '/pages/list' }],
    ['Fairway, static page', ours, { path: '/pages/static' }],
    ['Fairway, static file', ours, { path: '/static/page.html' }],
  ];
  const rates = new Map(entries.map(([name]) => [name, []]));
  for (const [, server, test] of entries) await load(server, test, kConnections, 1);
  for (let round = 0; round < Number(options.rounds); ++round) {
    for (const [name, server, test] of entries) {
      const { rate, errors } = await load(server, test, kConnections, Number(options.seconds));
      if (errors > 0) throw new Error(`${name}: ${errors} errors`);
      rates.get(name).push(rate);
    }
  }
  console.log('| | requests/s |\n|---|--:|');
  for (const [name, list] of rates) console.log(`| ${name} | ${Math.round(median(list))} |`);
  const ratio = (a, b) => median(rates.get(a)) / median(rates.get(b));
  const limits = [
    ['list / Fastify', ratio('Fairway, list', 'Fastify, list'), 2],
    ['static page / static file', ratio('Fairway, static page', 'Fairway, static file'), 1 / 1.2],
  ];
  console.log('\n| requests/s | at least | measured | |\n|---|--:|--:|---|');
  for (const [what, value, limit] of limits) {
    console.log(
      `| ${what} | ${limit.toFixed(2)} | ${value.toFixed(2)} | ${value >= limit ? 'reached' : 'not reached'} |`,
    );
  }
} finally {
  for (const server of servers) await server.stop();
  rmSync(site, { recursive: true, force: true });
}
