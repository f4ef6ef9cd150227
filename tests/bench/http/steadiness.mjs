// How much fresh processes of a server differ under many connections:
// `node steadiness.mjs --build DIR [--processes 5] [--seconds 3] [--case hello] [--connections 512]
// [--servers fairway,beast]`. The processes of the servers take turns, so that what else the machine
// does affects all alike. Voluntary context switches are summed over all threads of the server: a worker
// that waits for an event, or for another worker.
import { readFileSync, readdirSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { cases, load, median } from './load.mjs';
import { Server, commands, titles } from './servers.mjs';

const { values: options } = parseArgs({
  options: {
    build: { type: 'string', default: 'build/bench' },
    processes: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    case: { type: 'string', default: 'hello' },
    connections: { type: 'string', default: '512' },
    servers: { type: 'string', default: 'fairway,beast' },
    port: { type: 'string', default: '18080' },
  },
});
const test = cases[options.case];
const connections = Number(options.connections);

function voluntarySwitches(pid) {
  const switches = readdirSync(`/proc/${pid}/task`).map((task) => {
    const status = readFileSync(`/proc/${pid}/task/${task}/status`, 'utf8');
    return Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)[1]);
  });
  return switches.reduce((sum, count) => sum + count, 0);
}

async function measure(name, port) {
  const command = commands(options.build, port)[name];
  const server = await Server.start(name, command, port, { BENCH_CONNECTIONS: options.connections });
  try {
    await load(server, test, connections, 1); // warms caches up
    const before = voluntarySwitches(server.child.pid);
    const result = await load(server, test, connections, Number(options.seconds));
    return { ...result, switches: voluntarySwitches(server.child.pid) - before };
  } finally {
    await server.stop();
  }
}

const columns = [
  ['requests/s', ({ rate }) => rate, 0],
  ['CPU us/request', ({ cpu }) => cpu, 1],
  ['p99 ms', ({ p99 }) => p99, 2],
  ['voluntary context switches', ({ switches }) => switches, 0],
];
const row = (cells) => console.log(`| ${cells.join(' | ')} |`);

console.log(`\n### ${test.title}, ${connections} connections, ${options.seconds} s in each process\n`);
row(['server', 'process', ...columns.map(([title]) => title)]);
row(['---', '--:', ...columns.map(() => '--:')]);
const results = new Map(options.servers.split(',').map((name) => [name, []]));
let port = Number(options.port);
for (let process = 1; process <= Number(options.processes); ++process) {
  for (const [name, measured] of results) {
    const result = await measure(name, port++);
    measured.push(result);
    const note = result.errors ? ` (${result.errors} errors)` : '';
    row([titles[name] + note, process, ...columns.map(([, value, digits]) => value(result).toFixed(digits))]);
  }
}
for (const [name, measured] of results) {
  const cells = columns.map(([, value, digits]) => {
    const values = measured.map(value);
    const range = [Math.min(...values), Math.max(...values)].map((each) => each.toFixed(digits));
    return `${median(values).toFixed(digits)} (${range.join(' to ')})`;
  });
  row([titles[name], 'median (range)', ...cells]);
}
console.error(`load average ${loadavg()[0].toFixed(1)}`);
