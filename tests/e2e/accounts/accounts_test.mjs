// The accounts sample in a real browser. Usage: accounts_test.mjs ACCOUNTS SAMPLE_DIR CHROMIUM
// [SCREENSHOT]
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import test, { after, before } from 'node:test';

import { collectComplaints, launchBrowser } from '../support/browser.mjs';
import { startSample } from '../support/sample_process.mjs';

const [accounts, sample, chromium, screenshot] = process.argv.slice(2);

const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const password = 'correct horse battery';

let server, browser, context, page, signedInAt;
const complaints = [];

before(
  async () => {
    server = await startSample(accounts, sample, {
      folders: ['config', 'public'],
      flags: ['--config', 'development'], // without Redis and https
    });
    browser = await launchBrowser(chromium);
    context = await browser.newContext();
    page = await context.newPage();
    collectComplaints(page, complaints);
    await page.goto(server.url);
  },
  { timeout: 1_800_000 },
);

after(async () => {
  await browser?.close();
  await server?.stop();
});

const message = (text) => page.locator('#message', { hasText: text }).waitFor();
const sessionCookie = async () => (await context.cookies()).find((cookie) => cookie.name === 'accounts.sid');

test('accounts: signing up creates an account and a new session', async () => {
  const form = page.locator('#sign-up');
  await form.locator('[name=name]').fill('Ada <Lovelace>');
  await form.locator('[name=email]').fill('ada@example.com');
  await form.locator('[name=password]').fill(password);
  await form.locator('button').click();
  await message('Your account has been created.');
  assert.equal(await page.locator('#name').innerText(), 'Ada <Lovelace>');
  const cookie = await sessionCookie();
  assert.equal(cookie.httpOnly, true);
  assert.equal(cookie.sameSite, 'Lax');
});

test('accounts: a picture is uploaded and shown', async () => {
  await page.locator('#upload [name=avatar]').setInputFiles({
    name: '../../avatar.png',
    mimeType: 'image/png',
    buffer: picture,
  });
  await page.locator('#upload button').click();
  await message('Your avatar has been replaced.');
  await page.waitForFunction(() => document.getElementById('avatar').naturalWidth === 1);
  if (screenshot) await page.screenshot({ path: screenshot });
});

test('accounts: a file that is not a picture is rejected', async () => {
  await page.locator('#upload [name=avatar]').setInputFiles({
    name: 'a.png',
    mimeType: 'image/png',
    buffer: Buffer.from('<script>alert(1)</script>'),
  });
  await page.locator('#upload button').click();
  await message('The avatar is not a PNG or JPEG');
});

test('accounts: large documents are stored while they arrive', async () => {
  const peak = () => Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))[1]) * 1024;
  const store = (size, count) =>
    page.evaluate(
      async ([size, count]) => {
        const form = new FormData();
        form.append('title', 'Papers');
        const file = new Blob([new Uint8Array(size).fill(65)]);
        for (let i = 0; i < count; ++i) form.append('document', file, `../paper ${i}.bin`);
        const { data } = await (await fetch('/csrf-token')).json();
        const response = await fetch('/account/documents', {
          method: 'POST',
          // The id of the request must not choose the name of a file.
          headers: { 'x-csrf-token': data.token, 'x-request-id': '../../evil' },
          body: form,
        });
        return [response.status, (await response.json()).data];
      },
      [size, count],
    );
  await store(1000, 1);
  const before = peak();
  const size = 20_000_000;
  assert.deepEqual(await store(size, 2), [
    201,
    {
      title: 'Papers',
      files: [
        { name: 'paper 0.bin', size },
        { name: 'paper 1.bin', size },
      ],
    },
  ]);
  assert.ok(peak() - before < size / 2, `${peak() - before} bytes more`);
  const stored = readdirSync(join(server.folder, 'uploads/1'));
  assert.equal(stored.length, 3);
  assert.deepEqual(
    readdirSync(server.folder).filter((name) => name.startsWith('evil')),
    [],
  );
  // Nothing is left of what has been rejected.
  assert.equal((await store(1, 11))[0], 413);
  assert.deepEqual(readdirSync(join(server.folder, 'uploads/1')), stored);
});

test('accounts: a cross-site form is rejected', async () => {
  // "localhost" is another site than 127.0.0.1.
  const attacker = http.createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<form method="post" action="${server.url}/account/sign-out"></form>
                  <script>document.forms[0].submit()</script>`);
  });
  await new Promise((resolve) => attacker.listen(0, 'localhost', resolve));
  const other = await context.newPage();
  const rejected = other.waitForResponse((response) => response.url().endsWith('/sign-out'));
  await other.goto(`http://localhost:${attacker.address().port}/`);
  assert.equal((await rejected).status(), 403);
  await other.close();
  attacker.closeAllConnections();
  attacker.close();
  assert.equal(await page.evaluate(async () => (await fetch('/account/profile')).status), 200);
});

test('accounts: signing out and in again creates a new session', async () => {
  const earlier = await sessionCookie();
  await page.locator('#sign-out button').click();
  await message('You have signed out.');
  assert.equal(await page.evaluate(async () => (await fetch('/account/profile')).status), 401);
  const form = page.locator('#sign-in');
  await form.locator('[name=email]').fill('ADA@example.com');
  await form.locator('[name=password]').fill(password);
  signedInAt = Date.now();
  await form.locator('button').click();
  await page.locator('#member').waitFor();
  assert.notEqual((await sessionCookie()).value, earlier.value);
});

test('accounts: sign-in attempts are rate-limited', async () => {
  const statuses = await page.evaluate(async () => {
    const statuses = [];
    for (let attempt = 0; attempt < 30 && statuses.at(-2) !== 429; ++attempt) {
      const { data } = await (await fetch('/csrf-token')).json();
      const response = await fetch('/account/sign-in', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-csrf-token': data.token },
        body: JSON.stringify({ email: 'ada@example.com', password: `guess ${attempt}` }),
      });
      statuses.push(response.status);
    }
    return statuses;
  });
  // One of the five attempts was the owner's own, unless it was more than a minute ago.
  const inTime = Date.now() - signedInAt < 60_000;
  const rejected = inTime ? 4 : Math.max(4, statuses.indexOf(429));
  assert.deepEqual(statuses.slice(0, rejected + 1), [...Array(rejected).fill(401), 429]);
  if (inTime) assert.equal(statuses[5], 429);
});

test('accounts: the page violates no content security policy', () => {
  assert.deepEqual(complaints, []);
});
