// The numbered cases of WebSocket against a server of the runtime. The frames of the first sections are
// written here; the library `ws` compresses.
// Usage: node numbered_cases_test.mjs SERVER PAGE [--write]
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { startServer } from '../support/server_process.mjs';
import { require } from '../typescript_client/support/compile.mjs';
import cases, { close, compressionCases, contents, pingFrame } from './numbered_cases.mjs';

const { WebSocket } = require('ws');
const [program, page, option] = process.argv.slice(2);

const patience = 120_000;
const messagesOfCompression = 5;
const atATime = 4;

/** A connection that has become a socket. */
class Raw {
  constructor(url) {
    const { hostname, port } = new URL(url);
    this.frames = [];
    this.bytes = Buffer.alloc(0);
    this.isOpen = false;
    this.hasEnded = false;
    this.waiting = [];
    this.socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.socket.on('error', () => {});
    this.socket.on('data', (part) => this.receive(part));
    this.socket.on('close', () => {
      this.hasEnded = true;
      this.notify();
    });
    this.socket.write(
      'GET /numbered HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
  }

  receive(part) {
    this.bytes = this.bytes.length === 0 ? part : Buffer.concat([this.bytes, part]);
    if (!this.isOpen) {
      const end = this.bytes.indexOf('\r\n\r\n');
      if (end < 0) return;
      assert.match(this.bytes.toString('latin1', 0, end), /^HTTP\/1.1 101 /);
      this.isOpen = true;
      this.bytes = this.bytes.subarray(end + 4);
    }
    while (this.takeFrame());
    this.notify();
  }

  takeFrame() {
    const bytes = this.bytes;
    if (bytes.length < 2) return false;
    let size = bytes[1];
    let head = 2;
    if (size === 126) {
      if (bytes.length < 4) return false;
      size = bytes.readUInt16BE(2);
      head = 4;
    } else if (size === 127) {
      if (bytes.length < 10) return false;
      size = Number(bytes.readBigUInt64BE(2));
      head = 10;
    }
    if (bytes.length < head + size) return false;
    const opcode = bytes[0] & 15;
    // On a busy machine, the server asks whether a silent client is there; what is sent next says so.
    if (opcode !== pingFrame) {
      this.frames.push({ first: bytes[0], opcode, data: bytes.subarray(head, head + size) });
    }
    this.bytes = bytes.subarray(head + size);
    return true;
  }

  notify() {
    for (const each of this.waiting.splice(0)) each();
  }

  /** Waits until the condition holds; false when the connection has ended before, or after too long. */
  async until(condition) {
    const deadline = Date.now() + patience;
    while (!condition()) {
      if (this.hasEnded || Date.now() > deadline) return condition();
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, 1000);
        this.waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    return true;
  }

  write(bytes) {
    return new Promise((resolve) => this.socket.write(bytes, () => resolve()));
  }
  async send(sends, chop) {
    await this.until(() => this.isOpen);
    if (chop === undefined && sends.every((each) => typeof each !== 'number')) {
      return this.write(Buffer.concat(sends));
    }
    for (const each of sends) {
      if (typeof each === 'number') {
        await new Promise((resolve) => setTimeout(resolve, each));
      } else if (typeof chop === 'number') {
        for (let at = 0; at < each.length && !this.hasEnded; at += chop) {
          await this.write(each.subarray(at, at + chop));
        }
      } else {
        await this.write(each);
      }
    }
  }
}

const list = (value) => (typeof value === 'function' ? value() : value);
const isClose = (frame) => frame.opcode === 8;
const codeOf = (frame) => (frame.data.length >= 2 ? frame.data.readUInt16BE(0) : 1005);

/** Whether the frames are those that the case expects. */
function matches(each, frames) {
  const expected = list(each.gets);
  const isSame = (frame, other) => frame.opcode === other.opcode && frame.data.equals(other.data);
  if (each.lastIsEnough) {
    return (
      frames.every((frame) => expected.some((other) => isSame(frame, other))) &&
      frames.length > 0 &&
      isSame(frames.at(-1), expected.at(-1))
    );
  }
  const isLacking = each.mayLack && frames.length < expected.length;
  return (isLacking || frames.length === expected.length) && frames.every((frame, i) => isSame(frame, expected[i]));
}

/** The result of a case: the code of the close. Throws if it is wrong. */
async function run(each, url) {
  const raw = new Raw(url);
  try {
    await raw.send(list(each.sends), each.chop);
    const codes = each.fails ?? each.closes;
    if (codes === undefined) {
      const isComplete = () =>
        each.lastIsEnough
          ? raw.frames.some((frame) => frame.data.equals(list(each.gets).at(-1).data))
          : raw.frames.length >= list(each.gets).length;
      assert(await raw.until(isComplete), 'something is missing');
      await raw.write(close(1000));
    }
    assert(await raw.until(() => raw.frames.some(isClose)), 'there is no close');
    const end = raw.frames.findIndex(isClose);
    const code = codeOf(raw.frames[end]);
    assert((codes ?? [1000]).includes(code), `the code is ${code}`);
    assert.equal(end, raw.frames.length - 1, 'something follows the close');
    assert(matches(each, raw.frames.slice(0, end)), 'the frames before the close are not right');
    for (const frame of raw.frames) assert.equal(frame.first & 0x70, 0, 'a reserved bit is set');
    // A server that has failed the connection may wait for the close of the client.
    if (each.closes === undefined && each.fails !== undefined) await raw.write(close(code));
    assert(await raw.until(() => raw.hasEnded), 'the connection does not end');
    return code;
  } finally {
    raw.socket.destroy();
  }
}

const kept = {};
const contentOf = (name) => (kept[name] ??= contents[name]());

function messageOf(each, number) {
  const content = contentOf(each.content);
  const begin = (number * 997) % Math.max(1, content.length - each.size);
  return typeof content === 'string'
    ? content.slice(begin, begin + each.size)
    : content.subarray(begin, begin + each.size);
}

async function runCompressed(each, url) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/compressed`, {
    perMessageDeflate: { threshold: 0, ...each.offer },
    maxPayload: 32 * 1024 * 1024,
  });
  try {
    await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
    assert.match(socket.extensions, /permessage-deflate/);
    for (let number = 0; number < messagesOfCompression; number++) {
      const message = Buffer.from(messageOf(each, number));
      const isBinary = typeof contentOf(each.content) !== 'string';
      const received = new Promise((resolve, reject) => {
        socket.once('message', (data, isBinary) => resolve({ data, isBinary }));
        socket.once('close', reject);
      });
      const step = each.fragment || message.length;
      for (let at = 0; at < message.length; at += step) {
        const options = { binary: isBinary, fin: at + step >= message.length, compress: true };
        socket.send(message.subarray(at, at + step), options);
      }
      const echo = await received;
      assert.equal(echo.isBinary, isBinary);
      assert(echo.data.equals(message), 'the message comes back changed');
      socket.removeAllListeners('close');
    }
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.close(1000);
    const code = await closed;
    assert.equal(code, 1000);
    return code;
  } finally {
    socket.terminate();
  }
}

const describe = ({ content, size, fragment, offer }) => {
  const how = fragment === 0 ? '' : ` in fragments of ${fragment}`;
  const offered = Object.entries(offer).map(([name, value]) => (value === true ? name : `${name} ${value}`));
  return (
    `${messagesOfCompression} compressed messages of ${size} bytes${how}, ${content}` +
    (offered.length === 0 ? '' : `; offer: ${offered.join(', ')}`)
  );
};
const expectation = ({ gets, fails, closes, mayLack }) => {
  if (fails) return `the server closes with ${fails.join(' or ')}`;
  if (closes)
    return `the server's close has the code ${closes.join(' or ')}${mayLack ? ', after the messages or before' : ''}`;
  return list(gets).length === 0 ? 'nothing' : 'echo, or pong';
};

function pageOf(results) {
  const rows = results.map(({ id, what, expected, code }) => `| ${id} | ${what} | ${expected} | ${code} |`);
  return `# WebSocket conformance

The cases by which implementations of WebSocket are usually compared, with the numbers of [Autobahn's
suite](https://github.com/crossbario/autobahn-testsuite), written from the rules of RFC 6455 and RFC 7692: what is sent to an
application that sends each message back, what has to follow, and the code with which the socket was closed. All
${results.length} cases pass. The client of the cases with compression is npm's \`ws\`, an independent implementation, with ${messagesOfCompression} messages instead of 1000. The
last offers of section 13 are one offer, because \`ws\` sends no more.

The test \`sockets_numbered_cases\` runs them (\`tests/e2e/sockets\`) and compares the results with this page.

| case | sent | required | close |
|---|---|---|---|
${rows.join('\n')}
`;
}

test('sockets: the numbered cases have the results of the page', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-cases-'));
  const server = await startServer(program, [], folder);
  const all = [
    ...cases.map((each) => ({
      each,
      what: each.what,
      expected: expectation(each),
      start: () => run(each, server.url),
    })),
    ...compressionCases.map((each) => ({
      each,
      what: describe(each),
      expected: 'echo',
      start: () => runCompressed(each, server.url),
    })),
  ];
  const failures = [];
  let next = 0;
  const work = async () => {
    while (next < all.length) {
      const mine = all[next++];
      try {
        mine.code = await mine.start();
      } catch (error) {
        failures.push(`${mine.each.id} ${mine.what}: ${error.message}`);
      }
    }
  };
  try {
    await Promise.all([...Array(atATime)].map(work));
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
  assert.deepEqual(failures, []);
  const written = pageOf(all.map(({ each, what, expected, code }) => ({ id: each.id, what, expected, code })));
  if (option === '--write') writeFileSync(page, written);
  assert.equal(readFileSync(page, 'utf8'), written);
});
