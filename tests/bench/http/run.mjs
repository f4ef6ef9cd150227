// Compares the servers: `node run.mjs --build DIR [--rounds 5] [--seconds 2] [--cases hello,order:32:64]
// [--connections 64,512] [--servers fairway,bare] [--json FILE] [--versions TEXT]`. A case may have its own numbers of
// connections. Rounds are interleaved: each server has one round, then each has its next, so that other load affects
// all alike; and each round begins with the next server, so that none always follows the same one. The responses of each
// server are checked first; a server that does not start, or has wrong ones, is left out. The servers have the ports
// from --port on; with 0, free ones. FILE receives the figures of all rounds.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { freePort } from '../../e2e/support/server_process.mjs';
import { makeCertificate, withTls } from './certificate.mjs';
import { check } from './check.mjs';
import { cases, load, median } from './load.mjs';
import { Server, available, commands, isOwn, lacking, titles } from './servers.mjs';

const { values: options } = parseArgs({
  options: {
    build: { type: 'string', default: 'build/bench' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    cases: { type: 'string', default: 'hello,user,order,file,stream' },
    connections: { type: 'string', default: '64,512' },
    servers: { type: 'string' }, // all that were built and offer the case
    port: { type: 'string', default: '18080' },
    json: { type: 'string' },
    versions: { type: 'string' }, // of the servers, for the file
  },
});

const rounds = wholeNumber('rounds');
const seconds = wholeNumber('seconds');
const chosen = options.servers?.split(',');
const unknown = chosen?.find((server) => !(server in titles));
if (unknown !== undefined) throw new Error(`--servers: there is no '${unknown}'`);

/** A number of rounds or of seconds. */
function wholeNumber(name) {
  const number = Number(options[name]);
  if (!Number.isInteger(number) || number < 1)
    throw new Error(`--${name}: '${options[name]}' is no whole number above 0`);
  return number;
}

async function compare(name, connections, files) {
  const test = withTls(cases[name], files);
  const built = available(options.build, name);
  const names = chosen?.filter((server) => built.includes(server)) ?? built; // those that were not built are left out
  const servers = [];
  const figures = new Map(); // by server, of all its rounds
  const leftOut = lacking(options.build, name)
    .filter(([server]) => chosen?.includes(server) ?? true)
    .map(([server, reason]) => `${titles[server]} ${reason}`);
  try {
    const first = Number(options.port);
    for (const [index, name] of names.entries()) {
      const port = first === 0 ? await freePort() : first + index;
      const command = commands(options.build, port)[name];
      const environment = { BENCH_CONNECTIONS: String(connections), ...test.environment };
      try {
        servers.push(await Server.start(name, command, port, environment, test.config));
        figures.set(name, []);
      } catch (error) {
        if (isOwn(name)) throw error;
        leftOut.push(error.message);
      }
    }
    for (const server of [...servers]) {
      try {
        await check(server, name);
      } catch (error) {
        if (isOwn(server.name)) throw error;
        leftOut.push(error.message);
        figures.delete(server.name);
        servers.splice(servers.indexOf(server), 1);
        await server.stop();
      }
    }
    for (const server of servers) await load(server, test, connections, 1); // warms caches and compilers up
    for (let round = 0; round < rounds; ++round) {
      for (let turn = 0; turn < servers.length; ++turn) {
        const server = servers[(round + turn) % servers.length];
        figures.get(server.name).push(await load(server, test, connections, seconds));
      }
    }
  } finally {
    for (const server of servers) await server.stop();
  }
  const figure = (name, key) => {
    const values = figures.get(name).map((round) => round[key]);
    return values.includes(null) ? null : median(values);
  };
  const rows = [...figures.keys()].map((name) => ({
    name,
    title: titles[name],
    rate: figure(name, 'rate'),
    cpu: figure(name, 'cpu'),
    p99: figure(name, 'p99'),
    errors: figures.get(name).reduce((sum, round) => sum + round.errors, 0),
    rounds: figures.get(name),
  }));
  return { rows, leftOut };
}

function table(rows) {
  const ours = rows.find((row) => row.name === 'fairway') ?? rows[0];
  const lines = [
    '| server | CPU us/request | requests/s | p99 ms | Fairway: times its CPU | Fairway: times its requests/s |',
    '|---|--:|--:|--:|--:|--:|',
  ];
  for (const row of rows) {
    const note = row.errors ? ` (${row.errors} errors)` : '';
    lines.push(
      `| ${row.title}${note} | ${row.cpu.toFixed(1)} | ${Math.round(row.rate)} | ${row.p99?.toFixed(2) ?? ''} | ` +
        `${(ours.cpu / row.cpu).toFixed(2)} | ${(ours.rate / row.rate).toFixed(2)} |`,
    );
  }
  return lines.join('\n');
}

const kLimits = [
  ['hello', 'bare', 'requests/s', (a, b) => a.rate / b.rate, 0.7, 'at least'],
  ['hello', 'bare', 'CPU per request', (a, b) => a.cpu / b.cpu, 1.15, 'at most'],
  ['user', 'bare', 'CPU per request', (a, b) => a.cpu / b.cpu, 1.3, 'at most'],
  ['order', 'simdjson', 'CPU per request', (a, b) => a.cpu / b.cpu, 1.5, 'at most'],
  ['hello', 'httplib', 'requests/s', (a, b) => a.rate / b.rate, 1.8, 'at least'],
  ['hello', 'fastify', 'requests/s', (a, b) => a.rate / b.rate, 1.5, 'at least'],
  ['hello', 'beast', 'requests/s', (a, b) => a.rate / b.rate, 1, 'at least'],
  ['order', 'beast', 'requests/s', (a, b) => a.rate / b.rate, 1.9, 'at least'],
  ['order', 'fastify', 'requests/s', (a, b) => a.rate / b.rate, 1.2, 'at least'],
];

function limits(results) {
  const lines = [];
  for (const [test, other, what, ratio, limit, direction] of kLimits) {
    for (const result of results.filter((entry) => entry.test === test)) {
      const ours = result.rows.find((row) => row.name === 'fairway');
      const theirs = result.rows.find((row) => row.name === other);
      if (!ours || !theirs) continue;
      const value = ratio(ours, theirs);
      const reached = direction === 'at least' ? value >= limit : value <= limit;
      lines.push(
        `| ${cases[test].title} | ${titles[other]}, ${what} | ${result.connections} | ${direction} ${limit} | ${value.toFixed(2)} | ${reached ? 'reached' : 'not reached'} |`,
      );
    }
  }
  if (lines.length === 0) return '';
  return ['| case | against | connections | limit | measured | |', '|---|---|--:|--:|--:|---|', ...lines].join('\n');
}

const results = [];
const folder = mkdtempSync(join(tmpdir(), 'bench-run-'));
try {
  const files = makeCertificate(folder, 'server');
  for (const entry of options.cases.split(',')) {
    const [test, ...own] = entry.split(':');
    for (const connections of (own.length ? own : options.connections.split(',')).map(Number)) {
      const before = loadavg()[0];
      const { rows, leftOut } = await compare(test, connections, files);
      results.push({ test, title: cases[test].title, connections, loadBefore: before, rows, leftOut });
      console.log(`\n### ${cases[test].title}, ${connections} connections\n\n${table(rows)}`);
      for (const reason of leftOut) console.log(`\nLeft out: ${reason}`);
      console.error(`load average ${before.toFixed(1)} before, ${loadavg()[0].toFixed(1)} after`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const judged = limits(results);
if (judged) console.log(`\n### Limits\n\n${judged}`);
if (options.json) {
  const machine = { processor: cpus()[0].model, processors: cpus().length, kernel: release() };
  const date = new Date().toISOString();
  const file = { date, machine, versions: options.versions, rounds, secondsPerRound: seconds, results };
  writeFileSync(options.json, JSON.stringify(file, null, 1));
}
