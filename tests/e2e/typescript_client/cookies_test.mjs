// Jars: which cookies are kept and sent, and the session of the accounts sample.
// Usage: node cookies_test.mjs ACCOUNTS SAMPLE_DIR ACCOUNTS_CLIENT
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { load } from './support/compile.mjs';
import { startSample } from '../support/sample_process.mjs';

const [program, sample, file] = process.argv.slice(2);
const { exports } = await load(file);
const { AccountsClient, ApiError, CookieJar } = exports;

const examples = JSON.parse(readFileSync(new URL('../support/cookies.json', import.meta.url), 'utf8'));
for (const { title, set, sent } of examples) {
  test(`typescript client: the cookies of a jar: ${title}`, () => {
    const jar = new CookieJar();
    for (const [url, line] of set) jar.keep(new URL(url), [line]);
    for (const [url, header] of Object.entries(sent)) assert.equal(jar.header(new URL(url)), header, url);
  });
}

test('typescript client: declared cookies take precedence over a jar', () => {
  const jar = new CookieJar();
  const home = new URL('http://example.com/');
  jar.keep(home, ['a=1', 'b=2']);
  assert.equal(jar.header(home, 'x=1; a=3'), 'b=2; x=1; a=3');
  jar.clear();
  assert.equal(jar.header(home), '');
});

test('typescript client: a jar is bounded for each domain', () => {
  const jar = new CookieJar();
  const home = new URL('http://example.com/');
  jar.keep(
    home,
    Array.from({ length: 60 }, (_, i) => `n${i}=1`),
  );
  jar.keep(home, [`large=${'x'.repeat(5000)}`]);
  assert.match(jar.header(home), /^n10=1; n11=1.*n59=1$/);
});

test('typescript client: a session lasts from signing in to signing out', async () => {
  const server = await startSample(program, sample, { folders: ['config'], flags: ['--config', 'test'] });
  try {
    const client = new AccountsClient({ baseUrl: server.url, cookies: new CookieJar() });
    const stranger = new AccountsClient({ baseUrl: server.url });
    const withToken = async () => ({ headers: { 'x-csrf-token': (await client.getCsrfToken()).token } });
    const isUnknown = (error) => error instanceof ApiError && error.status === 401;
    const [email, password] = ['ada@example.com', 'correct horse battery'];
    await client.signUp({ body: { name: 'Ada', email, password } }, await withToken());
    assert.equal((await client.getProfile()).name, 'Ada');
    await assert.rejects(stranger.getProfile(), isUnknown);
    await client.signOut(await withToken());
    await assert.rejects(client.getProfile(), isUnknown);
    await client.signIn({ body: { email, password } }, await withToken());
    assert.equal((await client.getProfile()).email, email);
  } finally {
    await server.stop();
  }
});
