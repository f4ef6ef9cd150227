// What traces cost: `node tracing.mjs --build DIR [--rounds 40] [--seconds 1] [--connections 64] [--of 5]`.
// Processor time of a request, the kernel's included, without traces and with a tenth of the requests sent to a
// collector. Each round loads all settings in turn, and each is compared with the one without traces of its round,
// because the machine changes more than traces cost. After `of` rounds, the servers are started again, because the
// same program does not always get the same addresses. They have the first processor; wrk and the collector have
// the second one.
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { cases, load, median } from './load.mjs';
import { Server, commands } from './servers.mjs';

const { values: options } = parseArgs({
  options: {
    build: { type: 'string', default: 'build/bench' },
    rounds: { type: 'string', default: '40' },
    seconds: { type: 'string', default: '1' },
    of: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
    port: { type: 'string', default: '18180' },
  },
});

let received = 0;
const collector = createServer((request, response) => {
  request.on('data', (data) => {
    received += data.length;
  });
  request.on('end', () => response.end());
});
await new Promise((resolve) => collector.listen(0, '127.0.0.1', resolve));
const tracing = { endpoint: `http://127.0.0.1:${collector.address().port}`, ratio: 0.1 };

const settings = new Map([
  ['off', {}],
  ['none sent, without `errors`', { tracing: { ...tracing, ratio: 0, errors: false } }],
  ['none sent', { tracing: { ...tracing, ratio: 0 } }],
  ['a tenth, JSON', { tracing }],
  ['a tenth, protobuf', { tracing: { ...tracing, encoding: 'protobuf' } }],
]);

function start(config, port) {
  const command = ['taskset', '-c', '0', ...commands(options.build, port).fairway];
  return Server.start('fairway', command, port, {}, config);
}

const connections = Number(options.connections);
async function measure(server, seconds) {
  received = 0;
  const { cpu, requests } = await load(server, cases.hello, connections, seconds);
  return { cpu, bytes: received / requests };
}

const results = new Map([...settings.keys()].map((name) => [name, []]));
let port = Number(options.port);
for (let round = 0; round < Number(options.rounds); round += Number(options.of)) {
  const servers = new Map();
  for (const [name, config] of settings) servers.set(name, await start(config, port++));
  try {
    for (const server of servers.values()) await measure(server, 1); // warms caches up
    for (let each = 0; each < Number(options.of); ++each) {
      for (const [name, server] of servers) results.get(name).push(await measure(server, Number(options.seconds)));
    }
  } finally {
    for (const server of servers.values()) await server.stop();
  }
}

/** What the median of as many values is between with a probability of 95 %, by the ranks of a binomial distribution. */
function interval(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(0, Math.floor((values.length - 1.96 * Math.sqrt(values.length)) / 2));
  return [sorted[rank], sorted[values.length - 1 - rank]];
}

const percent = (ratio) => `${((ratio - 1) * 100).toFixed(1)} %`;
const off = results.get('off');
console.log('| traces | CPU us/request | range | more | interval | bytes to the collector/request |');
console.log('|---|--:|--:|--:|--:|--:|');
for (const [name, measured] of results) {
  const times = measured.map(({ cpu }) => cpu);
  const range = `${Math.min(...times).toFixed(2)} to ${Math.max(...times).toFixed(2)}`;
  const ratios = times.map((time, round) => time / off[round].cpu);
  const [low, high] = interval(ratios);
  const bytes = median(measured.map((each) => each.bytes)).toFixed(0);
  const more = `${percent(median(ratios))} | ${percent(low)} to ${percent(high)}`;
  console.log(`| ${name} | ${median(times).toFixed(2)} | ${range} | ${more} | ${bytes} |`);
}
collector.close();
