// What protections cost: `node protections.mjs --build DIR [--rounds 5] [--seconds 2]
// [--connections 64] [--json FILE]`. The same GET without any of them, with CORS, security headers and
// a rate limit in memory, with a session in memory, and with a session in a redis-server of its own.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { load, median } from './load.mjs';
import { Server, commands, listens } from './servers.mjs';

const { values: options } = parseArgs({
  options: {
    build: { type: 'string', default: 'build/bench' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '64' },
    port: { type: 'string', default: '18080' },
    json: { type: 'string' },
  },
});

const redisPort = Number(options.port) + 10;
const session = { enabled: true };
const variants = [
  { name: 'none', title: 'none', path: '/hello', config: { cors: { enabled: false } } },
  {
    name: 'protected',
    title: 'CORS, security headers, rate limit in memory',
    path: '/hello',
    config: {
      cors: { origins: ['https://app.example'] },
      securityHeaders: { enabled: true, preset: 'strict' },
      rateLimit: { enabled: true, max: 1_000_000, window: 1 },
    },
    headers: { origin: 'https://app.example' },
  },
  { name: 'memory', title: 'session in memory', path: '/session', config: { cors: { enabled: false }, session } },
  {
    name: 'redis',
    title: 'session in Redis',
    path: '/session',
    config: {
      cors: { enabled: false },
      session,
      store: { type: 'redis', url: `redis://127.0.0.1:${redisPort}` },
    },
  },
];

/** The cookie of a client that has a session. */
async function cookieOf(server) {
  const response = await fetch(`http://127.0.0.1:${server.port}/session`);
  if (!response.ok) throw new Error(`no session: ${response.status}`);
  return response.headers.get('set-cookie').split(';')[0];
}

const redis = spawn('redis-server', ['--port', String(redisPort), '--save', '', '--appendonly', 'no'], {
  stdio: 'ignore',
});
const servers = [];
try {
  await listens(redisPort, redis);
  let port = Number(options.port);
  for (const variant of variants) {
    const server = await Server.start('fairway', commands(options.build, port).fairway, port, {}, variant.config);
    servers.push(server);
    variant.server = server;
    variant.rounds = [];
    if (variant.config.session) variant.headers = { cookie: await cookieOf(server) };
    ++port;
  }
  const connections = Number(options.connections);
  for (const variant of variants) await load(variant.server, variant, connections, 1); // warms up
  for (let round = 0; round < Number(options.rounds); ++round) {
    for (const variant of variants) {
      variant.rounds.push(await load(variant.server, variant, connections, Number(options.seconds)));
    }
  }
} finally {
  for (const server of servers) await server.stop();
  redis.kill('SIGTERM');
}

const rows = variants.map(({ title, rounds }) => ({
  title,
  rate: median(rounds.map((round) => round.rate)),
  cpu: median(rounds.map((round) => round.cpu)),
  errors: rounds.reduce((sum, round) => sum + round.errors, 0),
}));
console.log('| protection | requests/s | CPU us/request | times the CPU without |\n|---|--:|--:|--:|');
for (const row of rows) {
  const note = row.errors ? ` (${row.errors} errors)` : '';
  console.log(
    `| ${row.title}${note} | ${Math.round(row.rate)} | ${row.cpu.toFixed(1)} | ${(row.cpu / rows[0].cpu).toFixed(2)} |`,
  );
}
console.log(
  `\nSession in Redis: ${(rows[3].rate / rows[2].rate).toFixed(2)} of the requests/s of the session in memory.`,
);
if (options.json) writeFileSync(options.json, JSON.stringify(rows, null, 1));
