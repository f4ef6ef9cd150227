// What a started program costs: node start.mjs PROGRAM PATH [RUNS]. Prints cells of a table: the least time from
// its start to its first response in ms, and the least processor time until then, on which other load has less
// influence; and when it is idle afterwards, its resident memory in MB, how much of that is no part of a file,
// and its threads.
import { spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const [program, path, runs = '20'] = process.argv.slice(2);
if (!path) {
  console.error('usage: node start.mjs PROGRAM PATH [RUNS]');
  process.exit(2);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Whether the program has responded; false if nobody listens yet. */
function request(port) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
    });
    socket.once('data', (data) => {
      socket.destroy();
      if (data.toString().startsWith('HTTP/1.1 200')) resolve(true);
      else reject(new Error(`start: ${data.toString().split('\r\n')[0]}`));
    });
    socket.on('error', () => resolve(false));
  });
}

const field = (status, name) => Number(new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(status)[1]);

/** Of a thread, in ns; 0 if it has just ended. */
function threadTime(folder) {
  try {
    return Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ')[0]);
  } catch {
    return 0;
  }
}

/** Of all threads that have not ended, in ms. */
function processorTime(pid) {
  const times = readdirSync(`/proc/${pid}/task`).map((id) => threadTime(`/proc/${pid}/task/${id}`));
  return times.reduce((sum, each) => sum + each, 0) / 1e6;
}

let least = Infinity;
let leastProcessorTime = Infinity;
let figures;
for (let run = 0; run < Number(runs); run++) {
  const port = await freePort();
  const begin = performance.now();
  const server = spawn(program, ['--port', port, '--host', '127.0.0.1'], { stdio: 'ignore' });
  const ended = once(server, 'exit');
  while (!(await request(port))) {
    if (server.exitCode !== null) throw new Error(`start: the program ended with ${server.exitCode}`);
  }
  least = Math.min(least, performance.now() - begin);
  leastProcessorTime = Math.min(leastProcessorTime, processorTime(server.pid));
  if (run === 0) {
    await sleep(1000);
    const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
    figures = {
      resident: (field(status, 'VmRSS') * 1024) / 1e6,
      anonymous: (field(status, 'RssAnon') * 1024) / 1e6,
      threads: field(status, 'Threads'),
    };
  }
  server.kill();
  await ended;
}
const cells = [least, leastProcessorTime, figures.resident, figures.anonymous].map((cell) => cell.toFixed(1));
console.log(`${cells.join(' | ')} | ${figures.threads} |`);
