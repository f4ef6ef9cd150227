// Sockets of a generated client against a server of the package `ws`: what they send and receive,
// and how they end and connect again. Usage: node sockets_test.mjs FAIRWAY INCLUDE_DIR
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';

import { complaints, generate, load, makeFolder, require } from './support/compile.mjs';

const { WebSocket, WebSocketServer } = require('ws');
const here = new URL('.', import.meta.url).pathname;
const [fairway, include] = process.argv.slice(2);
const folder = makeFolder();
const file = join(folder, 'sockets.ts');
generate(fairway, include, join(here, '../sockets/src'), 'sockets', file);
const { SocketClosed, SocketsClient, TransportError } = (await load(file)).exports;

test('sockets: only valid uses compile, for browsers and for Node', () => {
  const uses = join(folder, 'use_sockets.ts');
  copyFileSync(join(here, 'use_sockets.ts'), uses);
  assert.equal(complaints([uses, file], 'browser'), '');
  assert.equal(complaints([uses, file], 'node'), '');
});

/** Of the package; the global constructor is used where Node has it. */
const injected = (url, protocols, headers) => new WebSocket(url, protocols, { headers });

/** A server whose n-th connection is handled by the n-th function, the last one again and again. */
async function against(handlers, use, options = {}) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const requests = [];
  server.on('connection', (socket, request) => {
    const handle = handlers[Math.min(requests.length, handlers.length - 1)];
    const received = [];
    requests.push({ url: request.url, headers: request.headers, protocol: socket.protocol, received });
    socket.on('message', (data, isBinary) => {
      received.push(isBinary ? data : JSON.parse(String(data)));
      handle.message?.(socket, received.at(-1));
    });
    handle.open?.(socket);
  });
  await once(server, 'listening');
  try {
    const baseUrl = `http://127.0.0.1:${server.address().port}`;
    const client = new SocketsClient({ baseUrl, webSocket: injected, retryDelay: 5, ...options });
    await use(client, requests, server);
  } finally {
    for (const socket of server.clients) socket.terminate();
    await new Promise((resolve) => server.close(resolve));
  }
}

const send = (socket, message) => socket.send(JSON.stringify(message));
const said = (text) => ({ type: 'said', by: 'a', text, mood: 'good' });
const path = { id: 7 };

async function all(socket) {
  const messages = [];
  for await (const message of socket) messages.push(message);
  return messages;
}

async function failure(socket, type) {
  try {
    await all(socket);
  } catch (error) {
    assert.ok(error instanceof type, String(error));
    return error;
  }
  assert.fail('no error');
}

test('sockets: messages in both directions, with the path, the query and the protocol', async () => {
  const handler = {
    message(socket, { type, text }) {
      if (type === 'say') send(socket, said(text));
      else socket.close(1000);
    },
  };
  await against([handler], async (client, requests) => {
    const room = client.room({ path, query: { name: 'é' } });
    const heard = [];
    room.on('said', (message) => heard.push(message));
    const other = room.on('said', () => heard.push('never'));
    other();
    // Both wait for the connection.
    room.send('say', { text: 'one' });
    room.send('say', { text: 'two' });
    await room.opened;
    assert.ok(room.isOpen);
    room.send('typing');
    assert.deepEqual(await all(room), [said('one'), said('two')]);
    assert.deepEqual(heard, [said('one'), said('two')]);
    assert.deepEqual(await room.closed, { code: 1000, reason: '' });
    assert.equal(requests[0].url, '/rooms/7?name=%C3%A9');
    assert.equal(requests[0].protocol, 'chat.v1');
    assert.deepEqual(requests[0].received.at(-1), { type: 'typing' });
    assert.throws(() => room.send('typing'), SocketClosed);
  });
});

test('sockets: tokens and headers are sent outside of browsers', async () => {
  const options = { token: async () => 'secret', headers: { 'x-all': '1', 'X-Player': 'common' } };
  await against(
    [{}],
    async (client, requests) => {
      const board = client.board({ headers: { 'x-player': 'me' } }, { headers: { 'x-one': '2' } });
      await board.opened;
      const { headers } = requests[0];
      assert.equal(headers.authorization, 'Bearer secret');
      assert.equal(headers['x-all'], '1');
      assert.equal(headers['x-one'], '2');
      assert.equal(headers['x-player'], 'me');
      board.close();
      await board.closed;
    },
    options,
  );
});

test('sockets: what a browser does not send is an error', async () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket');
  const open = async (operation, input, options = {}) => {
    const client = new SocketsClient({ baseUrl: 'http://127.0.0.1:1', ...options });
    return await failure(client[operation](input), TypeError);
  };
  const location = { href: 'http://127.0.0.1:1' };
  for (const [name, value] of Object.entries({ location, WebSocket })) {
    Object.defineProperty(globalThis, name, { value, configurable: true });
  }
  try {
    assert.match(
      (await open('room', { path }, { token: 'a' })).message,
      /a browser does not send a token with a socket; use/,
    );
    const error = await open('board', { headers: { 'x-player': 'me' } });
    assert.match(error.message, /a browser does not send the header 'x-player' with a socket; use/);
  } finally {
    delete globalThis.location;
    delete globalThis.WebSocket;
    if (own) Object.defineProperty(globalThis, 'WebSocket', own);
  }
});

test('sockets: raw messages are text and bytes', async () => {
  const handler = {
    message(socket, content) {
      socket.send(Buffer.isBuffer(content) ? content : JSON.stringify(content));
      if (Buffer.isBuffer(content)) socket.close(1001);
    },
  };
  await against([handler], async (client) => {
    const echo = client.echo();
    echo.send('text', '[1]');
    echo.send('binary', new Uint8Array([1, 2]));
    assert.deepEqual(await all(echo), [
      { type: 'text', data: '[1]' },
      { type: 'binary', data: new Uint8Array([1, 2]) },
    ]);
  });
});

test('sockets: another code than 1000 and 1001 is an error, unless the client has closed', async () => {
  await against([{ open: (socket) => socket.close(4001, 'banned') }], async (client) => {
    const room = client.room({ path }, { reconnect: true });
    const error = await failure(room, SocketClosed);
    assert.deepEqual([error.code, error.reason], [4001, 'banned']);
    assert.throws(() => room.send('typing'), { code: 4001, reason: 'banned' });
    assert.match(error.message, /SOCKET \/rooms\/7: closed with 4001: banned/);
  });
  await against([{ open: (socket) => socket.terminate() }], async (client) => {
    const room = client.room({ path });
    const lost = { code: 1006, reason: 'the connection was lost' };
    const error = await failure(room, SocketClosed);
    assert.deepEqual({ code: error.code, reason: error.reason }, lost);
    assert.deepEqual(await room.closed, lost);
  });
  await against([{}], async (client, requests) => {
    const room = client.room({ path });
    await room.opened;
    const messages = all(room);
    assert.throws(() => room.close(1008), RangeError);
    room.close(3001, 'bye');
    assert.deepEqual(await messages, []);
    assert.deepEqual(await room.closed, { code: 3001, reason: 'bye' });
    assert.equal(requests.length, 1);
  });
});

test('sockets: a loop that begins after the end gets the error, too', async () => {
  await against([{ open: (socket) => socket.close(1008, 'slow') }], async (client) => {
    const room = client.room({ path });
    await room.closed;
    for (let i = 0; i < 2; i += 1) {
      const { code, reason } = await failure(room, SocketClosed);
      assert.deepEqual([code, reason], [1008, 'slow']);
    }
  });
  await against([{ open: (socket) => socket.close(1001) }], async (client) => {
    const room = client.room({ path });
    await room.closed;
    assert.deepEqual(await all(room), []);
  });
});

test('sockets: calls of next wait for each other, and the end of the loop ends them', async () => {
  const handler = { message: (socket, { text }) => send(socket, said(text)) };
  await against([handler], async (client) => {
    const room = client.room({ path });
    const loop = room[Symbol.asyncIterator]();
    const calls = [loop.next(), loop.next(), loop.next(), loop.next()];
    room.send('say', { text: 'one' });
    room.send('say', { text: 'two' });
    assert.deepEqual((await calls[0]).value, said('one'));
    assert.deepEqual((await calls[1]).value, said('two'));
    const end = { done: true, value: undefined };
    assert.deepEqual(await loop.return(), end);
    assert.deepEqual(await Promise.all([calls[2], calls[3], loop.next()]), [end, end, end]);
    assert.ok(room.isOpen);
    room.close();
  });
});

test('sockets: a listener that throws keeps no message from the others', async () => {
  const handler = {
    message(socket, { text }) {
      send(socket, { type: 'error', message: text });
      send(socket, said(text));
      if (text === 'two') socket.close(1000);
    },
  };
  await against([handler], async (client) => {
    const uncaught = [];
    process.setUncaughtExceptionCaptureCallback(({ message }) => uncaught.push(message));
    const room = client.room({ path });
    const heard = [];
    room.onFailure(({ message }) => {
      throw new Error(`failure ${message}`);
    });
    room.onFailure(({ message }) => heard.push(`failure ${message}`));
    const leave = room.on('said', ({ text }) => {
      leave();
      later();
      room.on('said', (message) => heard.push(`added ${message.text}`));
      throw new Error(`listener ${text}`);
    });
    const later = room.on('said', () => heard.push('removed'));
    room.on('said', ({ text }) => heard.push(text));
    room.send('say', { text: 'one' });
    room.send('say', { text: 'two' });
    assert.deepEqual(await all(room), [said('one'), said('two')]);
    process.setUncaughtExceptionCaptureCallback(null);
    assert.deepEqual(heard, ['failure one', 'one', 'failure two', 'two', 'added two']);
    assert.deepEqual(uncaught, ['failure one', 'listener one', 'failure two']);
  });
});

test('sockets: a lost connection is replaced, and messages wait for that', async () => {
  const handlers = [
    { open: (socket) => socket.terminate() },
    { open: (socket) => socket.close(1012) },
    {
      message(socket, { text }) {
        send(socket, said(text));
        if (text === 'later') socket.close(1000);
      },
    },
  ];
  await against(handlers, async (client) => {
    let opened = 0;
    const onOpen = () => room.send('say', { text: String((opened += 1)) });
    const room = client.room({ path }, { reconnect: true, onOpen });
    const messages = all(room);
    while (opened < 2 || (opened === 2 && room.isOpen)) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    room.send('say', { text: 'later' });
    // What `onOpen` sends comes first.
    assert.deepEqual(await messages, [said('3'), said('later')]);
  });
});

test('sockets: messages that wait are sent before a close', async () => {
  await against([{}], async (client, requests) => {
    const room = client.room({ path }, { onOpen: () => room.close() });
    room.send('typing');
    assert.deepEqual(await room.closed, { code: 1000, reason: '' });
    assert.deepEqual(requests[0].received, [{ type: 'typing' }]);
  });
});

test('sockets: a service cannot make a client connect without delays', async () => {
  const handlers = Array.from({ length: 5 }, () => ({
    open(socket) {
      send(socket, said('hi'));
      socket.close(1012);
    },
  }));
  await against(
    [...handlers, { open: (socket) => socket.close(1000) }],
    async (client) => {
      const begin = performance.now();
      await all(client.room({ path }, { reconnect: true }));
      assert.ok(performance.now() - begin >= 10 + 20 + 40 + 80 + 160 - 5);
    },
    { retryDelay: 20 },
  );
});

test('sockets: a service that accepts each connection and closes it soon counts as a failure', async () => {
  const closes = { open: (socket) => socket.close(1012, 'restart') };
  const speaks = {
    open(socket) {
      send(socket, said('hi'));
      socket.close(1012, 'restart');
    },
  };
  const over = { open: (socket) => socket.close(4000) };
  await against([closes, closes, closes, over], async (client, requests) => {
    const error = await failure(client.room({ path }, { reconnect: true, retries: 2 }), SocketClosed);
    assert.deepEqual([error.code, requests.length], [1012, 3]);
  });
  await against([closes, speaks, closes, closes, over], async (client, requests) => {
    const error = await failure(client.room({ path }, { reconnect: true, retries: 2 }), SocketClosed);
    assert.deepEqual([error.code, requests.length], [1012, 4]);
  });
  await against([closes, closes, closes, closes, over], async (client, requests) => {
    const error = await failure(client.room({ path }, { reconnect: true }), SocketClosed);
    assert.deepEqual([error.code, requests.length], [4000, 5]);
  });
});

test('sockets: an opening without a response in time is tried again', async () => {
  let connections = 0;
  const silent = createServer(() => (connections += 1));
  await new Promise((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${silent.address().port}`;
  const client = new SocketsClient({ baseUrl, webSocket: injected, retryDelay: 1 });
  const room = client.room({ path }, { timeout: 20, reconnect: true, retries: 2 });
  assert.equal((await failure(room, TransportError)).reason, 'timeout');
  assert.equal((await room.closed).reason, 'SOCKET /rooms/7: not open within 20 ms');
  assert.equal(connections, 3);
  silent.close();
});

test('sockets: a service that is away ends the socket after the retries', async () => {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${server.address().port}`;
  await new Promise((resolve) => server.close(resolve));
  let attempts = 0;
  const webSocket = (...parts) => ((attempts += 1), injected(...parts));
  const client = new SocketsClient({ baseUrl, webSocket, retryDelay: 2, retries: 3 });
  const room = client.room({ path }, { reconnect: true });
  const error = await failure(room, SocketClosed);
  assert.equal(error.code, 1006);
  assert.match(error.reason, /ECONNREFUSED/);
  assert.equal(attempts, 4);
  await assert.rejects(room.opened, SocketClosed);
  attempts = 0;
  await failure(client.room({ path }), SocketClosed);
  assert.equal(attempts, 1);
});

test('sockets: an opening in time above the maximum of timers', async (context) => {
  const days = 24 * 3600 * 1000;
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const webSocket = () => ({ send: () => undefined, close: () => undefined });
  const client = new SocketsClient({ baseUrl: 'http://x', webSocket });
  const room = client.room({ path }, { timeout: 60 * days });
  let reason;
  room.closed.then((close) => (reason = close.reason));
  room.opened.catch(() => undefined);
  await new Promise(setImmediate);
  for (let day = 0; day < 59; day += 1) context.mock.timers.tick(days);
  await new Promise(setImmediate);
  assert.equal(reason, undefined);
  // Each of its timers may be a day late here.
  for (let day = 0; day < 3; day += 1) context.mock.timers.tick(days);
  await new Promise(setImmediate);
  assert.equal(reason, `SOCKET /rooms/7: not open within ${60 * days} ms`);
});

test('sockets: a pause above the maximum of timers', async () => {
  const connections = [];
  const webSocket = () => {
    connections.push({ send: () => undefined, close: () => undefined });
    return connections.at(-1);
  };
  const pause = 2 ** 33;
  const client = new SocketsClient({ baseUrl: 'http://x', webSocket, retryDelay: pause, maxRetryDelay: pause });
  const room = client.room({ path }, { reconnect: true });
  await new Promise(setImmediate);
  connections[0].onopen();
  await room.opened;
  connections[0].onclose({ code: 1006, reason: '' });
  // A timer that cannot wait so long fires at once.
  await new Promise((resolve) => setTimeout(resolve, 50));
  room.close();
  await room.closed;
  assert.equal(connections.length, 1);
});

test('sockets: the end of the time and of the signal are transport errors', async () => {
  const silent = createServer(() => undefined);
  await new Promise((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${silent.address().port}`;
  const client = new SocketsClient({ baseUrl, webSocket: injected });
  const late = await failure(client.room({ path }, { timeout: 20 }), TransportError);
  assert.equal(late.reason, 'timeout');
  const aborted = AbortSignal.abort('enough');
  const early = await failure(client.room({ path }, { signal: aborted }), TransportError);
  assert.equal(early.reason, 'aborted');
  const room = client.room({ path });
  room.close();
  assert.deepEqual(await room.closed, { code: 1000, reason: '' });
  silent.close();
  await against([{}], async (other) => {
    const controller = new AbortController();
    const open = other.room({ path }, { signal: controller.signal, reconnect: true });
    await open.opened;
    const ended = failure(open, TransportError);
    controller.abort(new Error('enough'));
    const error = await ended;
    assert.equal(error.reason, 'aborted');
    assert.equal(error.cause.message, 'enough');
  });
});

test('sockets: unknown messages are ignored, and others must be JSON', async () => {
  const handler = {
    open(socket) {
      send(socket, { type: 'later-version' });
      send(socket, said('known'));
      socket.send('no JSON');
    },
  };
  await against([handler], async (client) => {
    const room = client.room({ path });
    const heard = [];
    room.on('said', ({ text }) => heard.push(text));
    const error = await failure(room, TransportError);
    assert.equal(error.reason, 'malformed');
    assert.equal(error.cause, 'no JSON');
    assert.deepEqual(heard, ['known']);
  });
});

test('sockets: the service says what it has not accepted', async () => {
  const errors = [{ field: 'text', message: 'must not be empty' }];
  const handler = {
    message(socket) {
      send(socket, { type: 'error', message: 'Validation failed', received: 'say', errors });
      send(socket, { type: 'error', message: 'The type of the message is unknown' });
      socket.close(1000);
    },
  };
  await against([handler], async (client) => {
    const room = client.room({ path });
    const failures = [];
    room.onFailure((failure) => failures.push(failure));
    room.send('say', { text: '' });
    assert.deepEqual(await all(room), []);
    assert.deepEqual(failures, [
      { message: 'Validation failed', received: 'say', errors },
      { message: 'The type of the message is unknown', received: undefined, errors: [] },
    ]);
  });
});

test('sockets: the global constructor is used where there is one', async () => {
  if (!('WebSocket' in globalThis)) {
    const client = new SocketsClient({ baseUrl: 'http://127.0.0.1:1' });
    return assert.throws(() => client.room({ path }), /there is no global WebSocket/);
  }
  await against(
    [{ open: (socket) => send(socket, said('hi')) }],
    async (client, requests) => {
      const room = client.room({ path });
      for await (const { text } of room) {
        assert.equal(text, 'hi');
        break;
      }
      assert.equal(requests[0].headers.authorization, 'Bearer secret');
      assert.equal(requests[0].protocol, 'chat.v1');
      room.close();
      await room.closed;
    },
    { webSocket: undefined, token: 'secret' },
  );
});
