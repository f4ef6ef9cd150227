// Starts the servers of the benchmark and reads what they have used.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const here = dirname(fileURLToPath(import.meta.url));
/** Bytes of GET /file, and of the file that every server finds as static/file.txt. */
export const kFileSize = 64 * 1024;
const nghttpd = ['/usr/sbin/nghttpd', '/usr/bin/nghttpd'].find(existsSync) ?? 'nghttpd';
const kTicksPerSecond = 100; // USER_HZ of every Linux that Node runs on

/** Command lines by name; `build` is the directory of the preset `bench`. */
export function commands(build, port) {
  const program = (name) => resolve(build, 'tests/bench/http', `bench_http_${name}`);
  return {
    fairway: [program('fairway'), '--port', String(port), '--host', '127.0.0.1'],
    typed: [program('fairway'), '--port', String(port), '--host', '127.0.0.1'],
    routes: [program('routes'), '--port', String(port), '--host', '127.0.0.1'],
    bare: [program('bare'), String(port)],
    simdjson: [program('bare'), String(port), 'simdjson'],
    httplib: [program('httplib'), String(port)],
    glaze: [program('glaze'), String(port)],
    drogon: [program('drogon'), String(port)],
    crow: [program('crow'), String(port)],
    oatpp: [program('oatpp'), String(port)],
    uwebsockets: [program('uwebsockets'), String(port)],
    userver: [program('userver'), String(port)],
    nghttpd: [nghttpd, '--no-tls', '-a127.0.0.1', `-n${process.env.BENCH_THREADS ?? 2}`, '-dstatic', String(port)],
    beast: [program('beast'), String(port)],
    microhttpd: [program('microhttpd'), String(port)],
    fastify: [process.execPath, join(here, 'fastify/server.mjs'), String(port)],
  };
}

export const titles = {
  fairway: 'Fairway',
  typed: 'Fairway, C++ types',
  bare: 'bare epoll loop, fixed text',
  simdjson: 'bare epoll loop, simdjson',
  drogon: 'Drogon',
  crow: 'Crow',
  oatpp: 'oat++',
  glaze: 'glaze',
  uwebsockets: 'uWebSockets, nlohmann',
  userver: 'userver',
  nghttpd: 'nghttpd, a file',
  httplib: 'cpp-httplib, plain',
  beast: 'Boost.Beast, nlohmann',
  microhttpd: 'libmicrohttpd, nlohmann',
  fastify: 'Fastify, schemas',
};

/** What the paths of a server begin with: the program of Fairway has the cases as schema maps and as C++ types. */
export const prefixes = { typed: '/typed' };

/** Whether it is a program of Fairway, which reads a configuration and has the envelope. */
export const isOwn = (name) => ['fairway', 'typed', 'routes'].includes(name);

const kUsual = ['hello', 'user', 'order', 'file', 'stream'];

/** The cases of the servers that do not offer just the usual ones. */
const kCases = {
  fairway: [...kUsual, 'short', 'upload', 'static', 'compressed', 'tls', 'http2'],
  typed: ['order'],
  bare: [...kUsual, 'compressed', 'tls'],
  simdjson: ['order'],
  nghttpd: ['http2'],
  glaze: ['hello', 'short', 'user', 'order', 'upload', 'file'],
  uwebsockets: ['hello', 'short', 'user', 'order', 'upload', 'file', 'tls'],
  drogon: ['hello', 'short', 'user', 'order', 'upload', 'static', 'compressed', 'tls'],
  crow: ['hello', 'short', 'user', 'order', 'upload', 'static', 'compressed', 'tls'],
  oatpp: ['hello', 'short', 'user', 'order', 'upload', 'compressed', 'tls'],
  userver: ['hello', 'short', 'user', 'order', 'upload', 'static', 'tls', 'http2'],
};

/** What frameworks lack, at the versions that tools/bench_peers.sh names, by case. */
const kLacks = {
  static: { oatpp: 'serves no files', glaze: 'serves no files', uwebsockets: 'serves no files' },
  compressed: {
    glaze: 'compresses no responses',
    uwebsockets: 'compresses messages of WebSockets only',
    userver: 'compresses no responses',
  },
  tls: { glaze: 'makes no handshake: its https_server reads HTTP from the socket' },
  http2: {
    drogon: 'has no HTTP/2',
    crow: 'has no HTTP/2',
    oatpp: 'has no HTTP/2',
    glaze: 'has no HTTP/2',
    uwebsockets: 'has no HTTP/2',
  },
};

/** The cases that a server offers. */
export const casesOf = (name) => kCases[name] ?? kUsual;

/** The servers that can take part in a case: those that were built, if they offer it. */
export function available(build, test) {
  const all = Object.entries(commands(build, 0));
  return all
    .filter(([name, [program]]) => name in titles && existsSync(program) && casesOf(name).includes(test))
    .map(([name]) => name);
}

/** Why servers that were built do not offer a case: [name, reason]. */
export function lacking(build, test) {
  const all = commands(build, 0);
  return Object.entries(kLacks[test] ?? {}).filter(([name]) => existsSync(all[name][0]));
}

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function responds(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** Returns once something listens on the port; throws when the process ends, or after half a minute. */
export async function listens(port, child) {
  for (let tries = 0; !(await responds(port)); ++tries) {
    if (child.exitCode !== null || child.signalCode !== null || tries > 600)
      throw new Error(`nothing listens on ${port}`);
    await sleep(50);
  }
}

/** A running server in a directory of its own. */
export class Server {
  static async start(name, command, port, environment = {}, config = {}) {
    const directory = mkdtempSync(join(tmpdir(), `bench-${name}-`));
    mkdirSync(join(directory, 'static'));
    writeFileSync(join(directory, 'static/file.txt'), 'x'.repeat(kFileSize));
    writeFileSync(join(directory, 'static/hello'), JSON.stringify({ message: 'Hello, World!', version: 1, ok: true }));
    const layer = {
      accessLog: { enabled: true },
      logger: { file: join(directory, 'access.log') },
      ...config,
      server: { minWorkers: Number(process.env.BENCH_THREADS ?? 2), ...config.server },
    };
    const env = { ...process.env, FAIRWAY_ENV: 'production', ...environment };
    if (isOwn(name)) {
      mkdirSync(join(directory, 'config'));
      writeFileSync(join(directory, 'config/default.json'), JSON.stringify(layer));
    }
    const child = spawn(command[0], command.slice(1), { cwd: directory, env, stdio: ['ignore', 'ignore', 'inherit'] });
    const server = new Server(name, child, port, directory);
    try {
      await listens(port, child);
    } catch (error) {
      await server.stop();
      throw new Error(`${name}: ${error.message}`);
    }
    return server;
  }

  constructor(name, child, port, directory) {
    Object.assign(this, { name, child, port, directory });
  }

  /** The process and its children. */
  pids() {
    const children = readFileSync(`/proc/${this.child.pid}/task/${this.child.pid}/children`, 'utf8');
    return [this.child.pid, ...children.split(' ').filter(Boolean).map(Number)];
  }

  /** Seconds of processor time used so far. */
  cpu() {
    const ticks = this.pids().map((pid) => {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
      return Number(fields[11]) + Number(fields[12]);
    });
    return ticks.reduce((sum, value) => sum + value, 0) / kTicksPerSecond;
  }

  /** Resident memory that is the process's own, in bytes. */
  memory() {
    const sum = this.pids().map((pid) =>
      Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]),
    );
    return sum.reduce((total, value) => total + value, 0) * 1024;
  }

  /** The log grows fast: what was written is dropped between rounds. */
  truncateLog() {
    const file = join(this.directory, 'access.log');
    if (existsSync(file)) truncateSync(file);
  }

  async stop() {
    this.child.kill('SIGTERM');
    for (let tries = 0; this.child.exitCode === null && this.child.signalCode === null && tries < 60; ++tries)
      await sleep(50);
    this.child.kill('SIGKILL');
    rmSync(this.directory, { recursive: true, force: true });
  }
}
