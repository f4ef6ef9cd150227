// The generated TypeScript client against the application of its route file.
// Usage: node server_test.mjs FAIRWAY INCLUDE_DIR SERVER
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { generate, load, makeFolder, require } from '../typescript_client/support/compile.mjs';
import { startServer } from '../support/server_process.mjs';

const { WebSocket } = require('ws');
const here = new URL('.', import.meta.url).pathname;
const [fairway, include, program] = process.argv.slice(2);
const folder = makeFolder();
const file = join(folder, 'sockets.ts');
generate(fairway, include, join(here, 'src'), 'sockets', file);
const { SocketClosed, SocketsClient } = (await load(file)).exports;

async function withServer(use) {
  const server = await startServer(program, [], folder);
  const webSocket = (url, protocols, headers) => new WebSocket(url, protocols, { headers });
  try {
    await use(new SocketsClient({ baseUrl: server.url, webSocket }), server);
  } finally {
    await server.stop();
  }
}

/** The next messages of a socket. */
async function next(socket, count) {
  const messages = [];
  for await (const message of socket) {
    messages.push(message);
    if (messages.length === count) break;
  }
  return messages;
}

test('sockets: generated messages go both ways, and invalid ones come back as errors', () =>
  withServer(async (client) => {
    const room = client.room({ path: { id: 7 }, query: { name: 'a' } });
    const failures = [];
    room.onFailure((failure) => failures.push(failure));
    room.send('say', { text: '' });
    room.send('say', { text: 'hello' });
    room.send('typing');
    assert.deepEqual(await next(room, 2), [
      { type: 'said', by: 'me', text: 'hello', mood: 'good' },
      { type: 'typing' },
    ]);
    assert.equal(failures.length, 1);
    assert.equal(failures[0].received, 'say');
    assert.equal(failures[0].errors[0].field, 'text');
    room.close();
    assert.equal((await room.closed).code, 1000);
  }));

test('sockets: raw text, and messages of a type of the application', () =>
  withServer(async (client) => {
    const echo = client.echo();
    echo.send('text', 'é');
    assert.deepEqual(await next(echo, 1), [{ type: 'text', data: 'é' }]);
    echo.close();
    const board = client.board({ headers: { 'x-player': 'a' } });
    board.send('move', { x: 1, y: -2 });
    assert.deepEqual(await next(board, 1), [{ type: 'move', x: 1, y: -2 }]);
    board.close();
  }));

test('sockets: an opening that is not valid fails, and a stop closes with 1001', () =>
  withServer(async (client, server) => {
    await assert.rejects(client.room({ path: { id: 0 } }).opened, SocketClosed);
    const room = client.room({ path: { id: 1 } });
    await room.opened;
    await server.stop();
    assert.equal((await room.closed).code, 1001);
  }));
