// Streams of a generated client: what it reads, and how it connects again.
// Usage: node streams_test.mjs FAIRWAY INCLUDE_DIR
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { copyFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';

import { complaints, generate, load, makeFolder } from './support/compile.mjs';

const here = new URL('.', import.meta.url).pathname;
const [fairway, include] = process.argv.slice(2);
const folder = makeFolder();
const file = join(folder, 'streams.ts');
generate(fairway, include, join(here, '../streams/src'), 'streams', file);
const { StreamsClient, ApiError, Busy, TransportError, ValidationFailure } = (await load(file)).exports;

test('streams: only valid uses compile, for browsers and for Node', () => {
  const uses = join(folder, 'use_streams.ts');
  copyFileSync(join(here, 'use_streams.ts'), uses);
  assert.equal(complaints([uses, file], 'browser'), '');
  assert.equal(complaints([uses, file], 'node'), '');
});

/** A server whose n-th connection is handled by the n-th function, the last one again and again. */
class Service {
  requests = [];
  #server;

  static async start(handlers) {
    const service = new Service();
    service.#server = createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const handle = handlers[Math.min(service.requests.length, handlers.length - 1)];
      const { url, method, headers } = request;
      const body = Buffer.concat(chunks).toString('utf8');
      const isGone = new Promise((resolve) => response.on('close', resolve));
      service.requests.push({ url, method, headers, body, isGone, time: performance.now() });
      await handle(response);
    });
    await new Promise((resolve) => service.#server.listen(0, '127.0.0.1', resolve));
    service.url = `http://127.0.0.1:${service.#server.address().port}`;
    return service;
  }

  async stop() {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

async function against(handlers, use, options = {}) {
  const service = await Service.start(handlers);
  try {
    const client = new StreamsClient({ baseUrl: service.url, retryDelay: 10, ...options });
    await use(client, service.requests);
  } finally {
    await service.stop();
  }
}

const tick = () => new Promise((resolve) => setTimeout(resolve, 2));

/** Sends each part in a packet of its own; then ends, breaks, or stays open. */
function sends(parts, then = 'end', type = 'text/event-stream') {
  return async (response) => {
    response.writeHead(200, { 'content-type': type });
    response.flushHeaders();
    for (const part of parts) {
      response.write(part);
      await tick();
    }
    if (then === 'end') response.end();
    if (then === 'break') response.destroy();
  };
}
const responds =
  (status, body = '', headers = {}) =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };
const over = responds(204);

async function all(stream) {
  const items = [];
  for await (const item of stream) items.push(item);
  return items;
}

async function failure(stream, type) {
  const items = [];
  try {
    for await (const item of stream) items.push(item);
  } catch (error) {
    assert.ok(error instanceof type, String(error));
    return { error, items };
  }
  assert.fail('no error');
}

test('streams: events with names, ids and data of several lines', async () => {
  const text =
    '\uFEFF: a comment\nevent: created\nid: 1\ndata: {"id": 1,\ndata: "name": "é"}\n\n' +
    'event:tick\ndata:1\n\n' +
    'event: deleted\nid\ndata: {"id": 2}\nunknown: field\n\n' +
    'event: other\ndata: nothing\n\n' +
    'data: without a name\n\n' +
    'event: tick\n\n' +
    'event: tick\nid: a\0b\ndata: 2\n\n' +
    'event: tick\ndata: 3\n';
  const expected = [
    { event: 'created', data: { id: 1, name: 'é' }, id: '1' },
    { event: 'tick', data: 1, id: '1' },
    { event: 'deleted', data: { id: 2 }, id: '' },
    { event: 'tick', data: 2, id: '' },
  ];
  for (const end of ['\n', '\r\n', '\r']) {
    const bytes = Buffer.from(text.replaceAll('\n', end));
    // Whole, in halves, and byte by byte.
    const cuts = [[bytes], [...bytes].map((byte) => Buffer.from([byte]))];
    for (let at = 1; at < bytes.length; at += 17) cuts.push([bytes.subarray(0, at), bytes.subarray(at)]);
    for (const parts of cuts) {
      await against([sends(parts), over], async (client) => {
        assert.deepEqual(await all(client.live()), expected);
      });
    }
  }
});

test('streams: a broken connection continues after the last event', async () => {
  const first = ['event: tick\nid: 1é\ndata: 1\n\n', 'event: tick\nid: 2\ndata: 2'];
  const second = ['event: tick\ndata: 2\n\nid: 3\n\n'];
  await against([sends(first, 'break'), sends(second), over], async (client, requests) => {
    const events = await all(client.live({ query: { topic: 'a b' } }, { headers: { 'x-a': '1' } }));
    assert.deepEqual(
      events.map(({ data, id }) => [data, id]),
      [
        [1, '1é'],
        [2, '1é'],
      ],
    );
    assert.equal(requests.length, 3);
    for (const { url, headers } of requests) {
      assert.equal(url, '/live?topic=a%20b');
      assert.equal(headers['x-a'], '1');
      assert.equal(headers.accept, 'text/event-stream');
    }
    const ids = requests.map(({ headers }) => headers['last-event-id']);
    assert.deepEqual(
      ids.map((id) => id && Buffer.from(id, 'latin1').toString('utf8')),
      [undefined, '1é', '3'],
    );
  });
});

test('streams: an id of an earlier stream is sent with the first request', async () => {
  await against([over], async (client, requests) => {
    assert.deepEqual(await all(client.live({}, { lastEventId: 'x9' })), []);
    assert.equal(requests[0].headers['last-event-id'], 'x9');
  });
});

test('streams: the delay is what the service asks for, and grows', async () => {
  const asking = sends(['retry: 120\nretry: 1x\n\n']);
  await against([asking, asking, over], async (client, requests) => {
    await all(client.live());
    const [first, second] = requests.slice(1).map(({ time }, i) => time - requests[i].time);
    assert.ok(first >= 119, String(first));
    assert.ok(second >= 239, String(second));
  });
});

test('streams: temporary errors are retried, and Retry-After is respected', async () => {
  const busy = responds(503, '{"code": 503, "message": "busy"}', { 'retry-after': '0' });
  const one = sends(['event: tick\ndata: 1\n\n'], 'break');
  await against([busy, one, busy, busy, busy, busy, one, over], async (client, requests) => {
    assert.equal((await all(client.live())).length, 2);
    assert.equal(requests.length, 8);
  });
  await against([busy], async (client, requests) => {
    assert.equal((await failure(client.live(), ApiError)).error.status, 503);
    assert.equal(requests.length, 3);
  });
  await against([one, busy], async (client, requests) => {
    const { error, items } = await failure(client.live({}, { retries: 2 }), ApiError);
    assert.equal(error.status, 503);
    assert.equal(items.length, 1);
    assert.equal(requests.length, 3);
  });
});

test('streams: a service cannot make a client connect without delays', async () => {
  const busy = responds(503, '{"code": 503, "message": "busy"}', { 'retry-after': '0' });
  const one = sends(['retry: 0\nevent: tick\ndata: 1\n\n'], 'end');
  await against(
    [one, busy, one, busy, one, over],
    async (client, requests) => {
      assert.equal((await all(client.live())).length, 3);
      const taken = requests.at(-1).time - requests[0].time;
      assert.ok(taken >= 10 + 20 + 40 + 80 + 160 - 5, String(taken));
    },
    { retryDelay: 20 },
  );
});

test('streams: errors have the types of other calls', async () => {
  const invalid = responds(
    422,
    JSON.stringify({ code: 422, message: 'no', errors: [{ field: 'topic', message: 'no' }] }),
  );
  await against([invalid], async (client, requests) => {
    assert.equal((await failure(client.live(), ValidationFailure)).error.fields[0].field, 'topic');
    assert.equal(requests.length, 1);
  });
  await against([responds(409, '{"code": "BUSY", "message": "busy"}')], async (client) => {
    await failure(client.live(), Busy);
  });
  await against([responds(200, '<html>', { 'content-type': 'text/html' })], async (client, requests) => {
    assert.equal((await failure(client.live(), TransportError)).error.reason, 'malformed');
    assert.equal(requests.length, 1);
  });
  await against([sends(['event: tick\ndata: 1\n\nevent: tick\ndata: {\n\n'])], async (client) => {
    const { error, items } = await failure(client.live(), TransportError);
    assert.equal(error.reason, 'malformed');
    assert.equal(items.length, 1);
  });
});

test('streams: an abort ends the wait for a head, for an event and for a connection', async () => {
  const reason = new Error('enough');
  const handlers = [
    () => undefined,
    sends(['event: tick\ndata: 1\n\n'], 'stay'),
    responds(503, '', { 'retry-after': '5' }),
  ];
  for (const handle of handlers) {
    await against([handle], async (client, requests) => {
      const controller = new AbortController();
      const stream = client.live({}, { signal: controller.signal, retries: 5 });
      setTimeout(() => controller.abort(reason), 60);
      const { error } = await failure(stream, TransportError);
      assert.equal(error.reason, 'aborted');
      assert.equal(error.cause, reason);
      await Promise.all(requests.map(({ isGone }) => isGone));
      assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
    });
  }
});

test('streams: leaving the loop closes the connection', async () => {
  const controller = new AbortController();
  await against([sends(['event: tick\ndata: 1\n\n'], 'stay')], async (client, requests) => {
    for await (const event of client.live({}, { signal: controller.signal })) {
      assert.equal(event.data, 1);
      break;
    }
    await requests[0].isGone;
    assert.equal(requests.length, 1);
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
  });
});

test('streams: an iterator that is left while it waits closes the connection', async () => {
  const handlers = [
    () => undefined,
    sends(['event: tick\ndata: 1\n\n'], 'stay'),
    responds(503, '', { 'retry-after': '5' }),
  ];
  for (const handle of handlers) {
    await against([handle], async (client, requests) => {
      const { signal } = new AbortController();
      const stream = client.live({}, { signal, retries: 5 });
      const items = all({ [Symbol.asyncIterator]: () => stream });
      while (requests.length === 0) await tick();
      setTimeout(() => stream.return(), 60);
      const isTick = handle === handlers[1];
      assert.equal((await items).length, isTick ? 1 : 0);
      assert.deepEqual(await stream.next(), { done: true, value: undefined });
      await Promise.all(requests.map(({ isGone }) => isGone));
      assert.equal(requests.length, 1);
      assert.equal(getEventListeners(signal, 'abort').length, 0);
    });
  }
  await against([over], async (client, requests) => {
    const stream = client.live();
    await stream.return();
    assert.deepEqual(await all(stream), []);
    assert.equal(requests.length, 0);
  });
});

test('streams: the timeout ends with the head', async () => {
  // On a busy machine, a head may take as long as a timeout of a second.
  for (const timeout of [1_000, 10_000, 60_000]) {
    const late = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      setTimeout(() => response.end('event: tick\ndata: 1\n\n'), timeout + 300);
    };
    let events;
    await against([late, over], async (client) => {
      events = await all(client.live({}, { timeout })).catch((error) => error);
    });
    if (events.length === 1) break;
    assert.notEqual(timeout, 60_000, String(events));
  }
  await against([() => undefined], async (client) => {
    assert.equal((await failure(client.live({}, { timeout: 100 }), TransportError)).error.reason, 'timeout');
  });
});

test('streams: a time that is none is no limit', async () => {
  const late = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    setTimeout(() => response.end('event: tick\ndata: 1\n\n'), 100);
  };
  for (const time of [0, -1, NaN, Infinity]) {
    await against([late, over], async (client) => {
      const events = await all(client.live({}, { timeout: time, readTimeout: time }));
      assert.equal(events.length, 1, String(time));
    });
  }
});

test('streams: a connection that brings nothing counts as broken', async () => {
  const first = 'event: tick\nid: 1\ndata: 1\n\n';
  await against([sends([first], 'stay'), over], async (client, requests) => {
    assert.equal((await all(client.live({}, { readTimeout: 100 }))).length, 1);
    assert.equal(requests[1].headers['last-event-id'], '1');
    await requests[0].isGone;
  });
  await against([sends(['{"n": 1}\n'], 'stay', 'application/x-ndjson')], async (client) => {
    const { error, items } = await failure(client.rows({ path: { id: 4 } }, { readTimeout: 100 }), TransportError);
    assert.equal(error.reason, 'network');
    assert.match(error.message, /no data within 100 ms/);
    assert.equal(items.length, 1);
  });
});

test('streams: heartbeats and the time that the loop takes are no silence', async () => {
  // On a busy machine, a heartbeat may be late by as much as a short limit.
  for (const readTimeout of [400, 4_000]) {
    const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    const beats = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const data of [1, 2]) {
        for (let passed = 0; passed < 3 * readTimeout; passed += 100) {
          response.write(': heartbeat\n\n');
          await pause(100);
        }
        response.write(`event: tick\ndata: ${data}\n\n`);
      }
      response.end();
    };
    const received = [];
    await against([beats, over], async (client) => {
      for await (const { data } of client.live({}, { readTimeout })) {
        received.push(data);
        if (data === 1) await pause(1.5 * readTimeout);
      }
    });
    if (received.length === 2) break;
    assert.equal(readTimeout, 400, `received ${received}`);
  }
});

test('streams: a POST and lines are not continued', async () => {
  const token = sends(['event: token\ndata: {"text": "a"}\n\n']);
  await against([token], async (client, requests) => {
    const body = { question: 'why' };
    assert.deepEqual(await all(client.ask({ body })), [{ event: 'token', data: { text: 'a' }, id: '' }]);
    assert.equal(requests.length, 1);
    assert.deepEqual(JSON.parse(requests[0].body), body);
  });
  const rows = ['{"n": 1}\r', '\n\n{"n"', ': 2}\n{"n": 3}'];
  await against([sends(rows, 'end', 'application/x-ndjson')], async (client, requests) => {
    assert.deepEqual(await all(client.rows({ path: { id: 4 } })), [{ n: 1 }, { n: 2 }, { n: 3 }]);
    assert.equal(requests.length, 1);
    assert.equal(requests[0].url, '/rows/4');
    assert.equal(requests[0].headers.accept, 'application/x-ndjson');
  });
  await against([sends(rows, 'break', 'application/x-ndjson')], async (client, requests) => {
    const { error, items } = await failure(client.rows({ path: { id: 4 } }), TransportError);
    assert.equal(error.reason, 'network');
    assert.equal(items.length, 2);
    assert.equal(requests.length, 1);
  });
});

test('streams: an endless line is an error', async () => {
  const part = 'x'.repeat(1 << 20);
  const endless = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const more = () => {
      while (!response.destroyed && response.write(part)) continue;
    };
    response.on('drain', more);
    more();
  };
  await against([endless], async (client) => {
    assert.equal((await failure(client.live(), TransportError)).error.reason, 'malformed');
  });
});
