// What traces cost: `node tracing.mjs --build DIR [--rounds 5] [--seconds 3] [--connections 64]`. Processor
// time of a request, the kernel's included, without traces and with a tenth of the requests sent to a
// collector. The settings take turns, each in a fresh process on the first processor; wrk and the
// collector have the second one.
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { cases, load, median } from './load.mjs';
import { Server, commands } from './servers.mjs';

const { values: options } = parseArgs({
  options: {
    build: { type: 'string', default: 'build/bench' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
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

async function measure(config, port) {
  const command = ['taskset', '-c', '0', ...commands(options.build, port).fairway];
  const server = await Server.start('fairway', command, port, {}, config);
  try {
    const connections = Number(options.connections);
    await load(server, cases.hello, connections, 1); // warms caches up
    received = 0;
    const result = await load(server, cases.hello, connections, Number(options.seconds));
    return { cpu: result.cpu, bytes: received / result.requests };
  } finally {
    await server.stop();
  }
}

const results = new Map([...settings.keys()].map((name) => [name, []]));
let port = Number(options.port);
for (let round = 0; round < Number(options.rounds); ++round) {
  for (const [name, config] of settings) results.get(name).push(await measure(config, port++));
}
const off = median(results.get('off').map(({ cpu }) => cpu));
console.log('| traces | CPU us/request | range | more | bytes to the collector/request |');
console.log('|---|--:|--:|--:|--:|');
for (const [name, measured] of results) {
  const times = measured.map(({ cpu }) => cpu);
  const cpu = median(times);
  const range = `${Math.min(...times).toFixed(2)} to ${Math.max(...times).toFixed(2)}`;
  const more = `${((cpu / off - 1) * 100).toFixed(1)} %`;
  const bytes = median(measured.map((each) => each.bytes)).toFixed(0);
  console.log(`| ${name} | ${cpu.toFixed(2)} | ${range} | ${more} | ${bytes} |`);
}
collector.close();
