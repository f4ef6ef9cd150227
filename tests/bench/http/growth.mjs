// What Fairway's requests cost as work grows: routes, idle connections, active connections, sizes of
// bodies. `node growth.mjs --build DIR [--seconds 3] [--rounds 3] [--tables routes,idle,active,bodies]`.
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cases, load, median } from './load.mjs';
import { Server, commands, here } from './servers.mjs';

const { values: options } = parseArgs({
  options: {
    build: { type: 'string', default: 'build/bench' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    port: { type: 'string', default: '18090' },
    tables: { type: 'string', default: 'routes,idle,active,bodies' },
  },
});
const kPort = Number(options.port);
const kLimits = { server: { maxConnections: 20000 }, bodyParser: { maxBodySize: '64mb', maxValues: 1000000 } };

async function repeated(server, test, connections, environment, seconds = Number(options.seconds)) {
  const rounds = [];
  for (let round = 0; round < Number(options.rounds); ++round) {
    rounds.push(await load(server, test, connections, seconds, environment));
  }
  const figure = (key) => median(rounds.map((one) => one[key]));
  return {
    rate: figure('rate'),
    cpu: figure('cpu'),
    p99: figure('p99'),
    errors: rounds.reduce((sum, one) => sum + one.errors, 0),
  };
}

async function withServer(name, environment, use) {
  const config = { ...kLimits, server: { ...kLimits.server, keepAliveTimeout: 600000 } };
  const server = await Server.start(name, commands(options.build, kPort)[name], kPort, environment, config);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

const cells = ({ rate, cpu, p99, errors }) =>
  `${Math.round(rate)} | ${cpu.toFixed(1)} | ${p99.toFixed(2)} |${errors ? ` ${errors} errors` : ''}`;
const head = (first) => console.log(`\n| ${first} | requests/s | CPU us/request | p99 ms |\n|--:|--:|--:|--:|`);

async function routes() {
  head('routes');
  for (const count of [10, 1000, 10000]) {
    await withServer('routes', { BENCH_ROUTES: String(count) }, async (server) => {
      const last = count - 1;
      const result = await repeated(server, { path: `/area${last % 100}/thing${last}/42` }, 64);
      console.log(`| ${count} | ${cells(result)}`);
    });
  }
}

function openIdle(port, count) {
  const sockets = [];
  return new Promise((resolve, reject) => {
    const next = () => {
      if (sockets.length === count) return resolve(sockets);
      const socket = createConnection(port, '127.0.0.1', () => socket.write('GET /hello HTTP/1.1\r\nHost: a\r\n\r\n'));
      socket.once('data', next); // each has had a response, as idle connections of a server have
      socket.on('error', reject);
      sockets.push(socket);
    };
    next();
  });
}

async function idle() {
  console.log(
    '\n| idle connections | bytes/connection | requests/s | CPU us/request | p99 ms |\n|--:|--:|--:|--:|--:|',
  );
  await withServer('fairway', {}, async (server) => {
    await load(server, cases.hello, 64, 1);
    const before = server.memory();
    console.log(`| 0 | - | ${cells(await repeated(server, cases.hello, 64))}`);
    for (const count of [1000, 10000]) {
      const sockets = await openIdle(server.port, count);
      const each = Math.round((server.memory() - before) / count);
      console.log(`| ${count} | ${each} | ${cells(await repeated(server, cases.hello, 64))}`);
      for (const socket of sockets) socket.destroy();
    }
  });
}

async function active() {
  head('active connections');
  await withServer('fairway', {}, async (server) => {
    for (const connections of [1, 2, 8, 64, 256, 512]) {
      console.log(`| ${connections} | ${cells(await repeated(server, cases.hello, connections))}`);
    }
  });
}

async function bodies() {
  console.log('\n| body | requests/s | CPU us/request | CPU us/KB | p99 ms |\n|--:|--:|--:|--:|--:|');
  await withServer('fairway', {}, async (server) => {
    for (const [title, size] of [
      ['1 KB', 1e3],
      ['10 KB', 1e4],
      ['100 KB', 1e5],
      ['1 MB', 1e6],
      ['10 MB', 1e7],
    ]) {
      const test = { path: '/orders', script: join(here, 'load/sized.lua') };
      // Few and long enough that some of the large ones end within a round.
      const seconds = Number(options.seconds) * (size >= 1e6 ? 3 : 1);
      const { rate, cpu, p99, errors } = await repeated(server, test, 2, { BENCH_BODY: String(size) }, seconds);
      console.log(
        `| ${title} | ${rate.toFixed(rate < 100 ? 1 : 0)} | ${cpu.toFixed(1)} | ${((cpu / size) * 1e3).toFixed(2)} | ${p99.toFixed(2)} |${errors ? ` ${errors} errors` : ''}`,
      );
    }
  });
}

const tables = { routes, idle, active, bodies };
for (const name of options.tables.split(',')) await tables[name]();
