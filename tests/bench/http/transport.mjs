// What HTTP/2 and TLS cost: requests over HTTP/2 against HTTP/1.1 and nghttpd, TLS against cleartext, and handshakes, both
// beside nginx. Requests over TLS are served by the first processor and sent by the second one, so that what the client
// encrypts does not take the server's time. Needs h2load, nghttpd, nginx, openssl and taskset.
// `node transport.mjs --build DIR [--rounds 5] [--seconds 2] [--parts http2,tls,handshakes]`
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { makeCertificate } from './certificate.mjs';
import { median } from './load.mjs';
import { nginxCommand } from './nginx.mjs';
import { Server, commands } from './servers.mjs';

const { values: options } = parseArgs({
  options: {
    build: { type: 'string', default: 'build/bench' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    port: { type: 'string', default: '18140' },
    parts: { type: 'string', default: 'http2,tls,handshakes' },
  },
});
const kConnections = 64;
const kClients = 4; // that open connections
const kCipher = 'TLS_AES_256_GCM_SHA384';
const run = promisify(execFile);

/** {rate: requests/s, cpu: server us per request, errors} of h2load, which `prefix` starts. */
async function requests(server, scheme, flags, prefix = []) {
  const before = server.cpu();
  const url = `${scheme}://127.0.0.1:${server.port}/hello`;
  const threads = prefix.length > 0 ? 1 : 2;
  const [program, ...args] = [...prefix, 'h2load', `-t${threads}`, `-c${kConnections}`, `-D${options.seconds}`];
  const { stdout } = await run(program, [...args, ...flags, url], { maxBuffer: 2 ** 24 });
  const used = server.cpu() - before;
  server.truncateLog();
  const number = (pattern) => Number(pattern.exec(stdout)?.[1] ?? NaN);
  const done = number(/(\d+) succeeded/);
  const errors = number(/(\d+) failed/) + number(/(\d+) errored/);
  return { rate: done / Number(options.seconds), cpu: (used / done) * 1e6, errors };
}

/** The same of connections, each with a handshake, by `openssl s_time`; `kind` is "new" or "reuse". */
async function handshakes(server, kind, flags) {
  const before = server.cpu();
  const begin = performance.now();
  const args = ['s_time', '-connect', `127.0.0.1:${server.port}`, `-${kind}`, '-time', options.seconds, '-tls1_3'];
  const runs = await Promise.all(
    Array.from({ length: kClients }, () =>
      run('openssl', [...args, '-ciphersuites', kCipher, ...flags], { maxBuffer: 2 ** 24 }),
    ),
  );
  const seconds = (performance.now() - begin) / 1000;
  const used = server.cpu() - before;
  server.truncateLog();
  let done = 0;
  let errors = 0; // connections that were resumed although they should not, or were not
  for (const { stdout } of runs) {
    done += Number(/^(\d+) connections in \d+ real/m.exec(stdout)[1]);
    errors += (stdout.match(kind === 'new' ? /^r+$/gm : /^\*+$/gm) ?? []).join('').length;
  }
  return { rate: done / seconds, cpu: (used / done) * 1e6, errors };
}

/** The medians of the rounds of each [name, measurement]; the rounds are interleaved. */
async function measure(title, unit, entries) {
  const before = loadavg()[0];
  const rounds = new Map(entries.map(([name]) => [name, []]));
  for (const [, once] of entries) await once();
  for (let round = 0; round < Number(options.rounds); ++round) {
    for (const [name, once] of entries) rounds.get(name).push(await once());
  }
  console.log(
    `\n### ${title}\n\n| | ${unit}s/s | range | CPU us/${unit} | range | errors |\n|---|--:|--:|--:|--:|--:|`,
  );
  const result = {};
  for (const [name, list] of rounds) {
    const rates = list.map(({ rate }) => rate);
    const times = list.map(({ cpu }) => cpu);
    const errors = list.reduce((sum, one) => sum + one.errors, 0);
    result[name] = { rate: median(rates), cpu: median(times) };
    const range = (values, digits) =>
      `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`;
    console.log(
      `| ${name} | ${Math.round(median(rates))} | ${range(rates, 0)} | ` +
        `${median(times).toFixed(1)} | ${range(times, 1)} | ${errors} |`,
    );
  }
  console.log(`\nLoad average ${before.toFixed(1)} before, ${loadavg()[0].toFixed(1)} after.`);
  return result;
}

const folder = mkdtempSync(join(tmpdir(), 'bench-transport-'));
const servers = [];
let port = Number(options.port);
async function start(name, command, config) {
  const server = await Server.start(name, command(port), port, {}, config);
  servers.push(server);
  ++port;
  return server;
}
const limits = [];
const parts = options.parts.split(',');
try {
  const { certificate, key } = makeCertificate(folder, 'server');
  const fairway = (at) => commands(options.build, at).fairway;
  const clear = await start('fairway', fairway, { server: { http2: { cleartext: true } } });
  const body = await (await fetch(`http://127.0.0.1:${clear.port}/hello`)).text();
  const secure = await start('fairway', fairway, { server: { tls: { certificate, key } } });

  if (parts.includes('http2')) {
    const site = join(folder, 'site');
    mkdirSync(site);
    writeFileSync(join(site, 'hello'), body);
    const nghttpd = await start('nghttpd', (at) => ['nghttpd', '--no-tls', '-a127.0.0.1', '-n2', '-d', site, `${at}`]);
    const h1 = ['--h1'];
    const h2 = ['-m32'];
    const result = await measure('HTTP/2, 64 connections', 'request', [
      ['Fairway, HTTP/1.1', () => requests(clear, 'http', h1)],
      ['Fairway, HTTP/2, 32 streams', () => requests(clear, 'http', h2)],
      ['nghttpd, HTTP/2, 32 streams, a file', () => requests(nghttpd, 'http', h2)],
    ]);
    const rate = result['Fairway, HTTP/2, 32 streams'].rate / result['Fairway, HTTP/1.1'].rate;
    limits.push(['requests/s of HTTP/2 / HTTP/1.1', rate, 1.5]);
  }

  const location = `location = /hello { default_type application/json; return 200 '${body}'; }`;
  const files = `ssl_certificate ${certificate}; ssl_certificate_key ${key}; ssl_protocols TLSv1.2 TLSv1.3;`;
  const nginxSecure = await start('nginx', (at) =>
    nginxCommand(folder, at, { listen: 'ssl', server: files + location }),
  );
  if (parts.includes('tls')) {
    const pinned = (command) => (at) => ['taskset', '-c', '0', ...command(at)];
    const nginx = (listen, server) => (at) => nginxCommand(folder, at, { listen, server });
    const encrypted = { server: { tls: { certificate, key } } };
    const entries = [
      ['Fairway, cleartext', 'http', await start('fairway', pinned(fairway), {})],
      ['Fairway, TLS', 'https', await start('fairway', pinned(fairway), encrypted)],
      ['nginx, cleartext', 'http', await start('nginx', pinned(nginx('', location)), {})],
      ['nginx, TLS', 'https', await start('nginx', pinned(nginx('ssl', files + location)), {})],
    ];
    const result = await measure(
      'TLS, 64 connections that stay open, HTTP/1.1',
      'request',
      entries.map(([name, scheme, server]) => [name, () => requests(server, scheme, ['--h1'], ['taskset', '-c', '1'])]),
    );
    const ratio = (name) => result[`${name}, TLS`].rate / result[`${name}, cleartext`].rate;
    limits.push(['requests/s with TLS / cleartext', ratio('Fairway'), 0.85]);
    limits.push(['the same of nginx', ratio('nginx')]);
  }
  if (parts.includes('handshakes')) {
    const www = ['-www', '/hello'];
    const result = await measure('Handshakes, four clients', 'handshake', [
      ['Fairway, full', () => handshakes(secure, 'new', [])],
      ['nginx, full', () => handshakes(nginxSecure, 'new', [])],
      ['Fairway, resumed, with a request', () => handshakes(secure, 'reuse', www)],
      ['nginx, resumed, with a request', () => handshakes(nginxSecure, 'reuse', www)],
    ]);
    const ratio = (kind) => result[`Fairway, ${kind}`].rate / result[`nginx, ${kind}`].rate;
    limits.push(['full handshakes/s / nginx', ratio('full'), 0.9]);
    limits.push(['resumed handshakes/s / nginx', ratio('resumed, with a request'), 0.9]);
  }
  console.log('\n| what | at least | measured | |\n|---|--:|--:|---|');
  for (const [what, value, limit] of limits) {
    const reached = limit === undefined ? '' : value >= limit ? 'reached' : 'not reached';
    console.log(`| ${what} | ${limit ?? ''} | ${value.toFixed(2)} | ${reached} |`);
  }
} finally {
  for (const server of servers) await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
