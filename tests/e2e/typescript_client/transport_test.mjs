// What a generated client does when the network or the service misbehaves.
// Usage: node transport_test.mjs ORDERS_CLIENT
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { load } from './support/compile.mjs';
import { Recorder } from './support/recorder.mjs';
import { freePort } from '../support/server_process.mjs';

const { exports } = await load(process.argv[2]);
const { ApiError, attempt, OrdersClient, TransportError } = exports;

const order = { id: 7, customerId: 1, status: 'open', items: [], totalCents: 0 };
const good = { status: 200, body: JSON.stringify({ code: 0, data: order, requestId: 'r' }) };
const path = { id: 7 };
const busy = { status: 503, body: '{"code": 503, "message": "busy", "requestId": "r"}' };

async function against(responses, use, options = {}) {
  const recorder = await Recorder.start(responses);
  try {
    const client = new OrdersClient({ baseUrl: recorder.url, retryDelay: 10, ...options });
    await use(client, recorder.requests);
  } finally {
    await recorder.stop();
  }
}

/** Again until so many requests were sent, at most 20 times: a process that does not run for a second
 * may end a call before. Returns how many there were. */
async function untilSent(least, responses, use) {
  let sent = 0;
  for (let times = 0; times < 20 && sent < least; times += 1) {
    await against(responses, async (client, requests) => {
      await use(client);
      sent = requests.length;
    });
  }
  return sent;
}

async function failure(call, type, reason) {
  const error = await call.then(
    () => assert.fail('no error'),
    (thrown) => thrown,
  );
  assert.ok(error instanceof type, String(error));
  if (reason) assert.equal(error.reason, reason);
  return error;
}

test('transport: a refused connection', async () => {
  const client = new OrdersClient({ baseUrl: `http://127.0.0.1:${await freePort()}`, retries: 0 });
  const error = await failure(client.getOrder({ path }), TransportError, 'network');
  assert.equal(error.cause.cause.code, 'ECONNREFUSED');
  assert.match(error.message, /^GET \/orders\/7: /);
});

test('transport: no response within the timeout', async () => {
  const asked = await untilSent(1, ['hang'], async (client) => {
    const begin = performance.now();
    await failure(client.getOrder({ path }, { timeout: 1000 }), TransportError, 'timeout');
    assert.ok(performance.now() - begin >= 990);
  });
  assert.equal(asked, 1);
});

test('transport: a timeout above the maximum of timers', async (context) => {
  const days = 24 * 3600 * 1000;
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const client = new OrdersClient({ baseUrl: 'http://x', fetch: () => new Promise(() => {}) });
  const call = client.getOrder({ path }, { timeout: 60 * days });
  let reason;
  call.catch((error) => (reason = error.reason));
  for (let day = 0; day < 59; day += 1) context.mock.timers.tick(days);
  await new Promise(setImmediate);
  assert.equal(reason, undefined);
  // Each of its timers may be a day late here.
  for (let day = 0; day < 3; day += 1) context.mock.timers.tick(days);
  await new Promise(setImmediate);
  assert.equal(reason, 'timeout');
});

test('transport: the total timeout covers all attempts and slow callbacks', async () => {
  const asked = await untilSent(2, [busy], async (client) => {
    const call = client.getOrder({ path }, { timeout: 1500, retries: 1000 });
    await failure(call, TransportError, 'timeout');
  });
  assert.ok(asked > 1);
  await against(
    [good],
    async (client, requests) => {
      await failure(client.getOrder({ path }, { timeout: 100 }), TransportError, 'timeout');
      assert.equal(requests.length, 0);
    },
    { token: () => new Promise(() => {}) },
  );
});

test('transport: an abort before, while waiting, and while reading', async () => {
  await against(['hang'], async (client, requests) => {
    const reason = new Error('enough');
    const early = AbortSignal.abort(reason);
    assert.equal((await failure(client.health({}, { signal: early }), TransportError, 'aborted')).cause, reason);
    assert.equal(requests.length, 0);
    const controller = new AbortController();
    const call = client.getOrder({ path }, { signal: controller.signal });
    const isAsked = setInterval(() => {
      if (requests.length > 0) controller.abort(reason);
    }, 10);
    assert.equal((await failure(call, TransportError, 'aborted')).cause, reason);
    clearInterval(isAsked);
    assert.equal(requests.length, 1);
  });
  const endless = new ReadableStream({ pull: () => sleep(20) });
  const client = new OrdersClient({
    baseUrl: 'http://x',
    fetch: async () => new Response(endless),
  });
  await failure(client.health({}, { signal: AbortSignal.timeout(100) }), TransportError, 'aborted');
});

test('transport: malformed responses', async () => {
  for (const body of ['', '<html>', '{"code": 0', '[]', '{"code": 0}']) {
    await against([{ status: 200, body }], async (client, requests) => {
      const error = await failure(client.getOrder({ path }), TransportError, 'malformed');
      assert.equal(error.cause, body);
      assert.equal(requests.length, 1);
    });
  }
});

test('transport: a connection that breaks before or during the response', async () => {
  for (const error of ['break', 'break later']) {
    await against([error, error, good], async (client, requests) => {
      assert.deepEqual(await client.getOrder({ path }), order);
      assert.equal(requests.length, 3);
    });
    await against([error], async (client, requests) => {
      await failure(client.getOrder({ path }), TransportError, 'network');
      assert.equal(requests.length, 3);
    });
  }
});

test('transport: temporary errors are retried with increasing delays', async () => {
  const responses = [429, 502, 503, 504].map((status) => ({ ...busy, status }));
  await against(
    [...responses, good],
    async (client, requests) => {
      assert.deepEqual(await client.getOrder({ path }, { retries: 4, requestId: 'same' }), order);
      const waits = requests.slice(1).map((request, i) => request.time - requests[i].time);
      waits.forEach((wait, i) => assert.ok(wait >= 0.5 * 40 * 2 ** i - 2, String(waits)));
      assert.deepEqual([...new Set(requests.map((request) => request.headers['x-request-id']))], ['same']);
    },
    { retryDelay: 40 },
  );
});

test('transport: non-idempotent calls and permanent errors are not retried', async () => {
  await against([busy, good], async (client, requests) => {
    const body = { status: 'paid' };
    assert.equal((await failure(client.updateOrder({ path, body }), ApiError)).status, 503);
    assert.equal(requests.length, 1);
  });
  await against(['break', good], async (client, requests) => {
    const body = { customerId: 1, items: [] };
    await failure(client.createOrder({ body }, { retries: 5 }), TransportError, 'network');
    assert.equal(requests.length, 1);
  });
  await against([{ ...busy, status: 500 }, good], async (client, requests) => {
    await failure(client.getOrder({ path }), ApiError);
    assert.equal(requests.length, 1);
  });
  await against([busy, good], async (client, requests) => {
    await failure(client.getOrder({ path }, { retries: 0 }), ApiError);
    assert.equal(requests.length, 1);
  });
});

test('transport: Retry-After is honoured, and ends the call if it is too long', async () => {
  const later = (value) => ({ ...busy, headers: { 'retry-after': value } });
  await against([later('1'), good], async (client, requests) => {
    await client.getOrder({ path });
    assert.ok(requests[1].time - requests[0].time >= 990);
  });
  const date = new Date(Date.now() + 3_600_000).toUTCString();
  for (const value of ['3600', date]) {
    await against([later(value), good], async (client, requests) => {
      const error = await failure(client.getOrder({ path }), ApiError);
      assert.ok(error.retryAfter > 3_500_000 && error.retryAfter <= 3_600_000);
      assert.equal(requests.length, 1);
    });
  }
});

test('transport: tokens are a string, a function, renewed, or absent', async () => {
  const sent = async (options, responses = [good]) => {
    let headers;
    await against(
      responses,
      async (client, requests) => {
        await client.getOrder({ path });
        headers = requests.map((request) => request.headers.authorization);
      },
      options,
    );
    return headers;
  };
  assert.deepEqual(await sent({ token: 'a' }), ['Bearer a']);
  assert.deepEqual(await sent({ token: () => undefined }), [undefined]);
  let count = 0;
  const renewed = async () => `t${(count += 1)}`;
  assert.deepEqual(await sent({ token: renewed }, [busy, good]), ['Bearer t1', 'Bearer t2']);
  const error = new Error('no token');
  const client = new OrdersClient({ baseUrl: 'http://x', token: () => Promise.reject(error) });
  await assert.rejects(attempt(client.health()), error);
});

test('transport: headers and request ids of the client and of the call', async () => {
  let ids = 0;
  const options = {
    headers: { 'X-App': 'a', 'X-Both': 'client' },
    requestId: () => `id-${(ids += 1)}`,
  };
  await against(
    [good],
    async (client, requests) => {
      let seen;
      await client.getOrder(
        { path },
        { headers: { 'x-both': 'call' }, onResponse: (response) => (seen = response.status) },
      );
      await client.getOrder({ path }, { requestId: 'own' });
      const [first, second] = requests.map((request) => request.headers);
      assert.deepEqual([first['x-app'], first['x-both'], first['x-request-id']], ['a', 'call', 'id-1']);
      assert.equal(second['x-request-id'], 'own');
      assert.equal(seen, 200);
    },
    options,
  );
});

test('transport: the span of the caller is sent with each call, and with its retries', async () => {
  const parent = (id) => `00-0af7651916cd43dd8448eb211c80319c-${id}-01`;
  let spans = 0;
  const trace = () => {
    spans += 1;
    return spans > 2 ? undefined : { traceparent: parent(`000000000000000${spans}`), tracestate: 'a=1' };
  };
  await against(
    [busy, good],
    async (client, requests) => {
      await client.getOrder({ path });
      await client.getOrder({ path });
      await client.getOrder({ path }, { trace: { traceparent: parent('00000000000000ff') } });
      await client.getOrder({ path });
      const sent = requests.map(({ headers }) => [headers.traceparent, headers.tracestate]);
      assert.deepEqual(sent, [
        [parent('0000000000000001'), 'a=1'],
        [parent('0000000000000001'), 'a=1'],
        [parent('0000000000000002'), 'a=1'],
        [parent('00000000000000ff'), undefined],
        [undefined, undefined],
      ]);
    },
    { trace, retryDelay: 1 },
  );
});

test('transport: an injected fetch gets the URL, the body and the credentials', async () => {
  const calls = [];
  const fetch = async (url, init) => {
    calls.push({ url, init });
    return new Response(good.body, { status: 201 });
  };
  const client = new OrdersClient({ baseUrl: '/api/', fetch, credentials: 'include' });
  const body = { customerId: 1, items: [] };
  assert.deepEqual(await client.createOrder({ body }), order);
  const [{ url, init }] = calls;
  assert.equal(url, '/api/orders');
  assert.equal(init.method, 'POST');
  assert.equal(init.body, JSON.stringify(body));
  assert.equal(init.credentials, 'include');
  assert.equal(init.headers.get('content-type'), 'application/json');
});

test('transport: attempt returns errors as values', async () => {
  await against([good, { ...busy, status: 404 }], async (client) => {
    assert.deepEqual(await attempt(client.getOrder({ path })), { ok: true, value: order });
    const { ok, error } = await attempt(client.getOrder({ path }));
    assert.equal(ok, false);
    assert.equal(error.status, 404);
  });
});

test('transport: an error has the class of its code, and a code of its own if the operation lists it', async () => {
  const failed = (status, code) => ({ status, body: JSON.stringify({ code, message: 'no' }) });
  const replies = [failed(404, 'ORDER_NOT_FOUND'), failed(404, 'EMAIL_TAKEN'), failed(404, 'OTHER'), failed(404, 404)];
  await against(replies, async (client) => {
    const listed = await attempt(client.getOrder({ path }));
    assert.equal(listed.code, 'ORDER_NOT_FOUND');
    assert.ok(listed.error instanceof exports.OrderNotFound && listed.error instanceof ApiError);
    assert.equal(listed.error.name, 'OrderNotFound');
    assert.equal(listed.error.code, exports.OrderNotFound.code);
    // Of another operation: it has the class, but no code that the type of the result knows.
    const other = await attempt(client.getOrder({ path }));
    assert.ok(!other.ok && other.error instanceof exports.EmailTaken);
    assert.equal(other.code, undefined);
    for (const code of ['OTHER', 404]) {
      const unknown = await attempt(client.getOrder({ path }));
      assert.equal(unknown.code, undefined);
      assert.equal(unknown.error.name, 'ApiError');
      assert.equal(unknown.error.code, code);
    }
  });
});

test('transport: invalid settings are rejected by the constructor', () => {
  assert.throws(() => new OrdersClient(), /must be absolute/);
  assert.throws(() => new OrdersClient({ baseUrl: '/api' }), /must be absolute/);
  assert.throws(() => new OrdersClient({ baseUrl: 'http://x/?a=1' }), /query or a fragment/);
});
