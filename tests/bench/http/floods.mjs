// What attacks cost the server: `node floods.mjs --build DIR [--scale 1] [--parts resets,frames,heads,windows,handshakes]`. With --scale 0.1 the
// attacks are a tenth as large. Each has a server of its own. Needs openssl, and `ulimit -n` above 10,000.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { connect as connectSecurely } from 'node:tls';
import { parseArgs } from 'node:util';
import { makeCertificate } from './certificate.mjs';
import { Server, commands } from './servers.mjs';

const { values: options } = parseArgs({
  options: {
    build: { type: 'string', default: 'build/bench' },
    scale: { type: 'string', default: '1' },
    port: { type: 'string', default: '18160' },
    parts: { type: 'string', default: 'resets,frames,heads,windows,handshakes' },
  },
});
const kPort = Number(options.port);
const kScale = Number(options.scale);
const kTrimmed = 15_000; // more than server.trimInterval, after which freed memory is returned to the system
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const large = (count) => count.toLocaleString('en');
const megabytes = (bytes) => (bytes / 2 ** 20).toFixed(1);

function frame(type, flags, stream, payload = Buffer.alloc(0)) {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}
const kData = 0;
const kHeaders = 1;
const kReset = 3;
const kSettings = 4;
const kPing = 6;
const kGoAway = 7;
const kWindowUpdate = 8;
const kContinuation = 9;
const kEndStream = 1;
const kEndHeaders = 4;
const kNothing = Buffer.alloc(0);
const kPreface = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(kSettings, 0, 0)]);
/** GET http://a/hello, by fields that no table remembers. */
const kGet = Buffer.concat([Buffer.from([0x82, 0x86, 0x04, 6]), Buffer.from('/hello'), Buffer.from([0x01, 1, 0x61])]);
const kErrors = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  '',
  'STREAM_CLOSED',
  '',
  '',
  '',
  '',
  '',
  'ENHANCE_YOUR_CALM',
];

/**
 * Sends `first`, and the bytes `times` times, on a connection of its own, until it ends, and resolves with the error of the last
 * GOAWAY, or "open" once all has been sent and ten seconds have passed.
 */
function attack(port, first, bytes, times) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let input = Buffer.alloc(0);
    let result;
    let left = times;
    let timer;
    const send = () => {
      while (left > 0) {
        --left;
        if (!socket.write(bytes)) return;
      }
      timer ??= setTimeout(() => {
        result ??= 'open';
        socket.destroy();
      }, 10_000);
    };
    socket.on('drain', send);
    socket.on('data', (data) => {
      input = Buffer.concat([input, data]);
      while (input.length >= 9 && input.length >= 9 + input.readUIntBE(0, 3)) {
        const size = input.readUIntBE(0, 3);
        if (input[3] === kGoAway) {
          const code = input.readUInt32BE(13);
          result = kErrors[code] || `error ${code}`;
        }
        input = input.subarray(9 + size);
      }
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(result ?? 'closed');
    });
    socket.write(Buffer.concat([kPreface, first]));
    send();
  });
}

/** Sends `first` on a connection, and resolves with the streams that the server resets, up to `count`, or within 30 s. */
function stall(port, first, count) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let input = Buffer.alloc(0);
    let resets = 0;
    const timer = setTimeout(() => socket.destroy(), 30_000);
    socket.on('data', (data) => {
      input = Buffer.concat([input, data]);
      while (input.length >= 9 && input.length >= 9 + input.readUIntBE(0, 3)) {
        if (input[3] === kReset && ++resets === count) socket.destroy();
        input = input.subarray(9 + input.readUIntBE(0, 3));
      }
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(resets);
    });
    socket.write(Buffer.concat([kPreface, first]));
  });
}

/** "A of ENHANCE_YOUR_CALM, B of …" */
function counted(results) {
  const counts = new Map();
  for (const one of results) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${large(count)} ${name}`).join(', ');
}

/** Other clients, one request after the other, each on a connection of its own; `stop` resolves with what they saw. */
function visit(request) {
  let ends = false;
  const seen = { served: 0, failed: 0, slowest: 0 };
  const visits = (async () => {
    while (!ends) {
      const begin = performance.now();
      if (await request()) ++seen.served;
      else ++seen.failed;
      seen.slowest = Math.max(seen.slowest, performance.now() - begin);
      await sleep(20);
    }
  })();
  return async () => {
    ends = true;
    await visits;
    return `${seen.served} served, ${seen.failed} not, slowest ${Math.round(seen.slowest)} ms`;
  };
}

function get(open) {
  return new Promise((resolve) => {
    const socket = open();
    let text = '';
    socket.setTimeout(30_000, () => socket.destroy());
    socket.on('data', (data) => (text += data));
    socket.on('error', () => {});
    socket.on('close', () => resolve(text.startsWith('HTTP/1.1 200')));
    socket.write('GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  });
}

const rows = [];
/**
 * Starts a server, attacks it, and writes a row: what came of it, processor time, memory, also after a `rest` in milliseconds, and how
 * others were served.
 */
async function measure(title, config, open, attacker, rest = 3000) {
  const port = kPort + rows.length;
  const server = await Server.start('fairway', commands(options.build, port).fairway, port, {}, config);
  try {
    for (let i = 0; i < 50; ++i) await get(() => open(port));
    const before = server.memory();
    const used = server.cpu();
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, server.memory())), 20);
    const stop = visit(() => get(() => open(port)));
    const result = await attacker(port);
    const cpu = server.cpu() - used;
    const others = await stop();
    await sleep(rest);
    clearInterval(watch);
    const memory = `${megabytes(before)} | ${megabytes(most)} | ${megabytes(server.memory())}`;
    rows.push(`| ${title} | ${result} | ${cpu.toFixed(2)} | ${memory} | ${others} |`);
  } finally {
    await server.stop();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'bench-floods-'));
const parts = options.parts.split(',');
const before = loadavg()[0];
try {
  const clear = { server: { http2: { cleartext: true } } };
  const plainly = (port) => connect(port, '127.0.0.1');
  if (parts.includes('resets')) {
    const connections = Math.round(1000 * kScale);
    const cancel = Buffer.from([0, 0, 0, 8]);
    const requests = [];
    for (let i = 0; i < 1000; ++i) {
      requests.push(frame(kHeaders, kEndStream | kEndHeaders, 2 * i + 1, kGet), frame(kReset, 0, 2 * i + 1, cancel));
    }
    const bytes = Buffer.concat(requests);
    await measure(`${large(connections)} × 1,000 canceled requests`, clear, plainly, async (port) => {
      const results = [];
      let left = connections;
      const attackers = Array.from({ length: 8 }, async () => {
        while (left-- > 0) results.push(await attack(port, kNothing, bytes, 1));
      });
      await Promise.all(attackers);
      return counted(results);
    });
  }
  if (parts.includes('frames')) {
    const times = Math.round(1000 * kScale);
    const head = frame(kHeaders, 0, 1, kGet);
    const floods = [
      ['PING', kNothing, frame(kPing, 0, 0, Buffer.alloc(8))],
      ['SETTINGS', kNothing, frame(kSettings, 0, 0, Buffer.from([0, 3, 0, 0, 0, 100]))],
      ['CONTINUATION, empty', head, frame(kContinuation, 0, 1)],
      ['CONTINUATION of 16 KB', head, frame(kContinuation, 0, 1, Buffer.alloc(16384))],
      ['WINDOW_UPDATE', kNothing, frame(kWindowUpdate, 0, 0, Buffer.from([0, 0, 0, 1]))],
      ['DATA, empty', frame(kHeaders, kEndHeaders, 1, kGet), frame(kData, 0, 1)],
    ];
    for (const [name, first, one] of floods) {
      const bytes = Buffer.concat(Array(1000).fill(one));
      await measure(`up to ${large(times * 1000)} ${name}`, clear, plainly, (port) =>
        attack(port, first, bytes, times),
      );
    }
  }
  if (parts.includes('heads')) {
    // A field of 3,900 bytes enters the table of HPACK; each further byte of the head repeats it.
    const size = 3900;
    const number = [0x7f, ((size - 127) & 0x7f) | 0x80, (size - 127) >> 7];
    const bomb = Buffer.concat([
      kGet,
      Buffer.from([0x40, 1, 0x78, ...number]),
      Buffer.alloc(size, 'y'),
      Buffer.alloc(12_000, 0xbe),
    ]);
    const connections = Math.round(1000 * kScale);
    const title = `${large(connections)} heads of 16 KB that expand to 47 MB`;
    await measure(title, clear, plainly, async (port) => {
      const results = [];
      let left = connections;
      const attackers = Array.from({ length: 8 }, async () => {
        while (left-- > 0)
          results.push(await attack(port, kNothing, frame(kHeaders, kEndStream | kEndHeaders, 1, bomb), 1));
      });
      await Promise.all(attackers);
      return counted(results);
    });
  }
  if (parts.includes('windows')) {
    // Each stream asks for 64 KB, of which it lets nothing come.
    const site = mkdtempSync(join(folder, 'site-'));
    writeFileSync(join(site, 'file.bin'), Buffer.alloc(64 * 1024, 'x'));
    const path = Buffer.from('/static/file.bin');
    const get = Buffer.concat([Buffer.from([0x82, 0x86, 0x04, path.length]), path, Buffer.from([0x01, 1, 0x61])]);
    const noWindow = frame(kSettings, 0, 0, Buffer.from([0, 4, 0, 0, 0, 0]));
    const requests = Array.from({ length: 128 }, (_, i) => frame(kHeaders, kEndStream | kEndHeaders, 2 * i + 1, get));
    const connections = Math.round(500 * kScale);
    const stalled = {
      server: { http2: { cleartext: true }, sendTimeout: 5000 },
      static: [{ prefix: '/static', root: site }],
    };
    const title = `${large(connections)} connections with 128 windows that stay closed`;
    await measure(
      title,
      stalled,
      plainly,
      async (port) => {
        const first = Buffer.concat([noWindow, ...requests]);
        const results = await Promise.all(Array.from({ length: connections }, () => stall(port, first, 128)));
        return `${large(results.reduce((sum, count) => sum + count, 0))} streams reset`;
      },
      kTrimmed,
    );
  }
  if (parts.includes('handshakes')) {
    const files = makeCertificate(folder, 'server');
    const count = Math.round(10_000 * kScale);
    const hello = await new Promise((resolve) => {
      const channel = new Duplex({ read() {}, write: (data) => resolve(data) });
      connectSecurely({ socket: channel, rejectUnauthorized: false }).on('error', () => {});
    });
    const securely = (port) => connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false });
    for (const [name, bytes] of [
      ['connections without a byte', null],
      ['handshakes that stop after the first message', hello],
    ]) {
      await measure(`${large(count)} ${name}`, { server: { tls: files } }, securely, async (port) => {
        let closed = 0;
        const sockets = [];
        for (let i = 0; i < count; ++i) {
          const socket = connect(port, '127.0.0.1');
          socket.on('error', () => {});
          socket.on('close', () => ++closed);
          socket.resume();
          if (bytes) socket.write(bytes);
          sockets.push(socket);
          if (i % 100 === 99) await sleep(10);
        }
        await sleep(1000);
        const early = closed;
        await sleep(12_000); // more than server.tls.handshakeTimeout
        const late = closed;
        for (const socket of sockets) socket.destroy();
        return `${early} closed within a second, ${late} after server.tls.handshakeTimeout`;
      });
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
  console.log(
    '| attack | result | CPU s | MB before | at most | later | other clients |\n|---|---|--:|--:|--:|--:|---|',
  );
  for (const row of rows) console.log(row);
  console.log(`\nLoad average ${before.toFixed(1)} before, ${loadavg()[0].toFixed(1)} after.`);
}
