// Events and sockets on the documentation page of the rooms sample, in a real browser and with a proxy
// that serves the application below a prefix. Usage: push_test.mjs ROOMS SAMPLE_DIR CHROMIUM [SCREENSHOT]
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';

import { collectComplaints, launchBrowser } from '../support/browser.mjs';
import { startPrefixProxy } from '../support/prefix_proxy.mjs';
import { startSample } from '../support/sample_process.mjs';

const [rooms, sample, chromium, screenshot] = process.argv.slice(2);

let server, proxy, browser, page, origin;
const outside = [];
const complaints = [];

/** Loads the page; `change` may change the document that it gets. */
async function load(change = () => {}) {
  await page.unrouteAll();
  await page.route('**/openapi.json', async (route) => {
    const response = await route.fetch();
    const document = await response.json();
    change(document);
    await route.fulfill({ response, json: document });
  });
  await page.goto('about:blank');
  await page.goto(`${origin}docs`);
  await page.waitForSelector('.opblock');
}

/** An operation of the section, opened with the keyboard. */
async function open(id) {
  const entry = page.locator(`#push-${id}`);
  await entry.locator('summary').first().press('Enter');
  await entry.locator('.push-body h4').first().waitFor();
  const rows = entry.locator('.push-log li');
  const cells = (row) => row.split(/\s*\n\s*/);
  const button = (name) => entry.getByRole('button', { name, exact: true });
  return {
    entry,
    fill: (name, value) => entry.locator(`[name="${name}"]`).fill(value),
    click: (name) => button(name).click(),
    isDisabled: (name) => button(name).isDisabled(),
    status: (text) => entry.getByRole('status').getByText(text).waitFor(),
    row: (text) => rows.filter({ hasText: text }),
    log: async () => (await rows.allInnerTexts()).map((row) => cells(row).slice(1).join(' ')),
  };
}

/** An open socket of a room. */
async function enter(room) {
  const socket = await open('room');
  await socket.entry.locator('[name="path.name"]').selectOption(room);
  await socket.fill('query.by', 'Ada & Bob');
  await socket.click('Connect');
  await socket.status('Connected.');
  return socket;
}

before(
  async () => {
    server = await startSample(rooms, sample, { folders: ['config', 'public'] });
    proxy = await startPrefixProxy('/chat', server.url);
    origin = `${proxy.url}/`;
    browser = await launchBrowser(chromium);
    page = await browser.newPage({ viewport: { width: 1280, height: 1000 } });
    const isOwn = (url) => url.startsWith(origin) || url.startsWith(origin.replace('http', 'ws'));
    const note = (url) => isOwn(url) || /^(data|about):/.test(url) || outside.push(url);
    page.on('request', (request) => note(request.url()));
    page.on('websocket', (socket) => note(socket.url()));
    collectComplaints(page, complaints);
  },
  { timeout: 1_800_000 },
);

after(async () => {
  await browser?.close();
  proxy?.close();
  await server?.stop();
});

test('push: event streams and sockets are listed with their messages', async () => {
  await load();
  const titles = await page.locator('.push-entry > summary').allInnerTexts();
  assert.deepEqual(
    titles.map((title) => title.split(/\s*\n\s*/)),
    [
      ['EVENTS', '/rooms/live', 'What is said in any room'],
      ['SOCKET', '/rooms/{name}', 'What is said in a room'],
    ],
  );
  await page.getByRole('link', { name: 'Events and sockets' }).click();
  const { entry } = await open('room');
  const headings = await entry.locator('h4').allInnerTexts();
  assert.deepEqual(headings, ['Messages sent by the client', 'Messages sent by the server']);
  assert.deepEqual(await entry.locator('.push-messages code').allInnerTexts(), ['say', 'said', 'error']);
  await entry.locator('.push-messages summary').first().click();
  const schema = JSON.parse(await entry.locator('.push-messages pre').first().innerText());
  assert.deepEqual(schema.properties.text, { type: 'string', minLength: 1, maxLength: 500 });
});

test('push: Swagger UI does not offer to try them out', async () => {
  const operation = page.locator('#operations-rooms-watchRooms');
  await operation.locator('.opblock-summary-control').click();
  await operation.locator('.responses-wrapper').waitFor();
  assert.equal(await operation.getByRole('button', { name: 'Try it out' }).count(), 0);
});

test('push: messages are sent and received, and events arrive', async () => {
  await load();
  const live = await open('watchRooms');
  await live.click('Connect');
  await live.status('Connected.');
  const socket = await enter('garden');
  const text = socket.entry.getByLabel('JSON');
  assert.deepEqual(Object.keys(JSON.parse(await text.inputValue())), ['type', 'text']);
  const said = '{"type": "say", "text": "<b>hello</b>"}';
  await text.fill(said);
  await text.press('Control+Enter');
  await socket.row('"said"').waitFor();
  assert.deepEqual(await socket.log(), [
    `sent say ${said}`,
    'received said {"type":"said","by":"Ada & Bob","text":"<b>hello</b>"}',
  ]);
  await live.row('spoken').waitFor();
  assert.deepEqual(await live.log(), ['received spoken {"room":"garden","by":"Ada & Bob","text":"<b>hello</b>"}']);
  if (screenshot) {
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${screenshot}-${colorScheme}.png`, fullPage: true });
    }
    await page.setViewportSize({ width: 360, height: 800 });
    await page.screenshot({ path: `${screenshot}-narrow.png`, fullPage: true });
    await page.setViewportSize({ width: 1280, height: 1000 });
  }
  await live.click('Disconnect');
  await live.status('Disconnected.');
});

test('push: the log keeps the last 200 entries', async () => {
  await load();
  const socket = await enter('library');
  await socket.entry.getByLabel('JSON').fill('{"type": "say", "text": "again"}');
  const send = await socket.entry.getByRole('button', { name: 'Send' }).elementHandle();
  await send.evaluate((button) => {
    for (let i = 0; i < 150; ++i) button.click();
  });
  await page.waitForFunction(
    (list) => list.children.length === 200 && list.lastChild.matches('.push-received'),
    await socket.entry.locator('.push-log').elementHandle(),
  );
  assert.equal(await socket.entry.locator('.push-log li').count(), 200);
});

test('push: invalid JSON is an error and is not sent', async () => {
  await load();
  const socket = await enter('lobby');
  await socket.entry.getByLabel('JSON').fill('{"type": "say",');
  await socket.click('Send');
  await socket.entry.getByRole('alert').getByText('This is not valid JSON').waitFor();
  assert.deepEqual(await socket.log(), []);
  await socket.entry.getByLabel('JSON').fill('{"type": "say", "text": 7}');
  await socket.click('Send');
  await socket.row('"errors"').waitFor();
  assert.equal(await socket.entry.locator('.push-send .push-error').textContent(), '');
});

test('push: any text is sent to a socket without declared messages', async () => {
  await load((document) => {
    document.paths['/rooms/{name}'].get['x-fw-socket'].receive = 'raw';
  });
  const socket = await enter('lobby');
  await socket.entry.getByText('Any text and any bytes').waitFor();
  await socket.entry.getByLabel('Text', { exact: true }).fill('hello');
  await socket.click('Send');
  await socket.row('received').waitFor();
  assert.equal((await socket.log())[0], 'sent text hello');
});

test('push: the events of OpenAPI 3.2 are listed', async () => {
  await load((document) => {
    const event = (name) => ({
      properties: { event: { const: name }, data: { contentSchema: { type: 'integer' } } },
    });
    document.paths['/rooms/live'].get.responses[200].content['text/event-stream'] = {
      itemSchema: { oneOf: [event('created'), event('deleted')] },
    };
  });
  const { entry } = await open('watchRooms');
  assert.deepEqual(await entry.locator('.push-messages code').allInnerTexts(), ['created', 'deleted']);
});

test('push: closes are explained', async () => {
  await load();
  const socket = await enter('lobby');
  await socket.click('Disconnect');
  await socket.status('Closed with 1000: normal close.');
  assert.ok(await socket.isDisabled('Send'));
  await socket.click('Connect');
  await socket.status('Connected.');
  const large = JSON.stringify({ type: 'say', text: 'x'.repeat(70_000) });
  await socket.entry.getByLabel('JSON').fill(large);
  await socket.click('Send');
  await socket.status(/^Closed with 1009: the message is too large/);
});

test('push: a socket that the server rejects is explained', async () => {
  await load((document) => {
    document.paths['/rooms/{name}'].get.parameters[0].schema.enum = ['cellar'];
  });
  const before = complaints.length;
  const socket = await open('room');
  await socket.fill('query.by', 'Ada');
  await socket.click('Connect');
  await socket.status('The socket was not opened (1006).');
  complaints.splice(before); // the browser itself logs that the connection failed
});

test('push: a response that is no stream is shown', async () => {
  await load((document) => {
    const { get } = document.paths['/rooms/live'];
    document.paths['/rooms/absent'] = { get: { ...get, operationId: 'absent' } };
    delete document.paths['/rooms/live'];
  });
  const absent = await open('absent');
  await absent.click('Connect');
  await absent.status(/^The response has the status 4\d\d and is not a stream\.$/);
  assert.match((await absent.log())[0], /^received 4\d\d application\/json \{/);
});

test('push: lines are shown as they arrive, and the body of the request is sent', async () => {
  await load((document) => {
    const schema = { type: 'object', properties: { id: { type: 'integer' } } };
    const ids = { type: 'array', items: { type: 'integer' } };
    const content = { 'application/x-ndjson': { itemSchema: schema } };
    document.paths['/lines'] = {
      post: {
        operationId: 'lines',
        parameters: [{ name: 'ids', in: 'query', schema: ids }],
        requestBody: { content: { 'application/json': { schema } } },
        responses: { 200: { description: 'OK', content } },
      },
    };
  });
  let request;
  await page.route('**/lines*', async (route) => {
    request = route.request();
    await route.fulfill({ contentType: 'application/x-ndjson', body: '{"id":1}\n{"id":2}' });
  });
  const lines = await open('lines');
  assert.equal(await lines.entry.locator('.push-path').innerText(), 'POST /lines');
  await lines.fill('query.ids', '1,2');
  await lines.fill('body', '{"id":');
  await lines.click('Connect');
  await lines.status('This is not valid JSON');
  await lines.fill('body', '{"id": 7}');
  await lines.click('Connect');
  await lines.status('The server has ended the stream.');
  assert.deepEqual(await lines.log(), ['received line {"id":1}', 'received line {"id":2}']);
  assert.equal(request.url(), `${origin}lines?ids=1&ids=2`);
  assert.equal(request.postData(), '{"id": 7}');
  assert.equal(request.headers().accept, 'application/x-ndjson');
});

test('push: references to parameters, bodies and responses are followed', async () => {
  await load((document) => {
    const schema = { type: 'object', properties: { id: { type: 'integer' } } };
    document.components = {
      ...document.components,
      schemas: { ...document.components?.schemas, Kind: { type: 'string', enum: ['small', 'large'] } },
      parameters: {
        Kind: { name: 'kind', in: 'query', required: true, schema: { $ref: '#/components/schemas/Kind' } },
        Shop: { name: 'shop', in: 'path', required: true, schema: { type: 'string' } },
        Alias: { $ref: '#/components/parameters/Kind' },
      },
      requestBodies: { Item: { content: { 'application/json': { schema } } } },
      responses: { Items: { description: 'OK', content: { 'application/x-ndjson': { itemSchema: schema } } } },
    };
    document.paths['/shops/{shop}/lines'] = {
      parameters: [{ $ref: '#/components/parameters/Shop' }],
      post: {
        operationId: 'shopLines',
        parameters: [{ $ref: '#/components/parameters/Alias' }],
        requestBody: { $ref: '#/components/requestBodies/Item' },
        responses: { 200: { $ref: '#/components/responses/Items' } },
      },
    };
  });
  let request;
  await page.route('**/shops/**', async (route) => {
    request = route.request();
    await route.fulfill({ contentType: 'application/x-ndjson', body: '{"id":1}' });
  });
  const lines = await open('shopLines');
  await lines.fill('path.shop', 'north');
  await lines.entry.locator('[name="query.kind"]').selectOption('large');
  await lines.fill('body', '{"id": 7}');
  await lines.click('Connect');
  await lines.status('The server has ended the stream.');
  assert.equal(request.url(), `${origin}shops/north/lines?kind=large`);
  assert.equal(request.postData(), '{"id": 7}');
  await page.locator('#operations-default-shopLines .opblock-summary-control').click();
  assert.equal(await page.locator('#operations-default-shopLines .try-out').count(), 0);
});

test('push: a stream is requested with the credentials of Swagger UI', async () => {
  await load((document) => {
    document.components.securitySchemes = { token: { type: 'http', scheme: 'bearer' } };
    document.paths['/rooms/live'].get.security = [{ token: [] }];
  });
  await page.locator('.btn.authorize').first().click();
  await page.locator('.auth-container input').fill('secret');
  await page.locator('.auth-container .btn.authorize').click();
  await page.locator('.auth-container .btn-done').click();
  const sent = page.waitForRequest('**/rooms/live');
  const live = await open('watchRooms');
  await live.click('Connect');
  assert.equal((await sent).headers().authorization, 'Bearer secret');
});

test('push: an operation with try-it-out disabled has no Connect', async () => {
  await load((document) => {
    document.paths['/rooms/{name}'].get['x-fw-docs-try-it-out'] = false;
  });
  const { entry } = await open('room');
  assert.equal(await entry.getByRole('button', { name: 'Connect' }).count(), 0);
  await entry.getByText('Trying it out is disabled.').waitFor();
});

test('push: a document without them has no such section', async () => {
  await load((document) => {
    document.paths = { '/ping': { get: { operationId: 'ping', responses: { 204: { description: 'OK' } } } } };
  });
  assert.equal(await page.locator('#push').isVisible(), false);
  assert.equal(await page.getByRole('link', { name: 'Events and sockets' }).count(), 0);
});

test('push: no request leaves the application, and the console has no errors', () => {
  assert.deepEqual(outside, []);
  assert.deepEqual(complaints, []);
});
