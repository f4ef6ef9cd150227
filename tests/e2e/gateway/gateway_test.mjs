// The gateway sample in front of nginx, with curl as the client: real peers on both sides.
// Usage: gateway_test.mjs GATEWAY SAMPLE_DIR NGINX CURL
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { after, before } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { startSample } from '../support/sample_process.mjs';
import { freePort, waitForPort } from '../support/server_process.mjs';

const [gateway, sample, nginxProgram, curlProgram] = process.argv.slice(2);
const run = promisify(execFile);

const largeSize = 100 * 1024 * 1024;
/// What a transfer may add to the memory of the gateway, whatever its size.
const mostGrowth = 24 * 1024 * 1024;
const list = Array.from({ length: 2000 }, (_, id) => ({ id, name: `customer ${id}` }));

let folder, nginx, server;

function nginxConfig(port) {
  return `
${process.getuid() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 128; }
http {
  log_format connections '$connection $connection_requests $request_method $uri $http_content_length';
  access_log ${folder}/access.log connections;
  client_body_temp_path ${folder}/bodies;
  proxy_temp_path ${folder}/proxied;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  types { application/json json; application/octet-stream bin; }
  gzip on;
  gzip_types application/json;
  keepalive_timeout 60s;
  client_max_body_size 200m;
  server {
    listen 127.0.0.1:${port};
    root ${folder}/files;
    location / { dav_methods PUT; }
    location /small/ { client_max_body_size 1k; dav_methods PUT; }
  }
}
`;
}

before(
  async () => {
    folder = mkdtempSync(join(tmpdir(), 'fairway-nginx-'));
    mkdirSync(join(folder, 'files/small'), { recursive: true });
    writeFileSync(join(folder, 'files/list.json'), JSON.stringify(list));
    const large = Buffer.alloc(largeSize, randomBytes(1024 * 1024));
    writeFileSync(join(folder, 'large.bin'), large);
    writeFileSync(join(folder, 'files/large.bin'), large);
    const port = await freePort();
    writeFileSync(join(folder, 'nginx.conf'), nginxConfig(port));
    nginx = spawn(nginxProgram, ['-p', folder, '-e', join(folder, 'error.log'), '-c', join(folder, 'nginx.conf')], {
      stdio: 'inherit',
    });
    await waitForPort(port, nginx);
    const files = { name: 'files', baseURL: `http://127.0.0.1:${port}`, timeout: 600_000 };
    server = await startSample(gateway, sample, {
      folders: ['config'],
      local: { fetch: { proxy: [files] } },
    });
  },
  { timeout: 1_800_000 },
);

after(async () => {
  await server?.stop();
  if (nginx) {
    const ended = new Promise((resolve) => nginx.on('exit', resolve));
    nginx.kill('SIGTERM');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Standard output of curl: what `--write-out` asks for. */
async function curl(...args) {
  const { stdout } = await run(curlProgram, ['--silent', '--show-error', ...args]);
  return stdout;
}

async function digest(file) {
  const hash = createHash('sha256');
  for await (const part of createReadStream(file)) hash.update(part);
  return hash.digest('hex');
}

/** The largest memory of the gateway so far, in bytes. */
function peakMemory() {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)[1]) * 1024;
}

/** The lines once they are as expected: nginx writes them after the responses. After a minute, what there is. */
async function accessLog(isExpected) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const lines = readFileSync(join(folder, 'access.log'), 'utf8').trimEnd().split('\n');
    if (isExpected(lines) || Date.now() > deadline) return lines;
    await sleep(10);
  }
}

test('gateway: responses that nginx compresses in chunks reach curl decoded', async () => {
  const head = join(folder, 'head');
  const body = join(folder, 'body');
  const status = await curl(
    '--dump-header',
    head,
    '--output',
    body,
    '--write-out',
    '%{http_code}',
    `${server.url}/files/list.json`,
  );
  assert.equal(status, '200');
  assert.deepEqual(JSON.parse(readFileSync(body, 'utf8')), list);
  assert.doesNotMatch(readFileSync(head, 'utf8'), /content-encoding/i);
});

test('gateway: sequential requests share a connection to nginx', async () => {
  for (let i = 0; i < 5; ++i) await curl(`${server.url}/files/list.json`);
  const ofList = (lines) => lines.filter((line) => line.includes(' GET /list.json'));
  const used = ofList(await accessLog((lines) => ofList(lines).length >= 6)).slice(-5); // and the one before
  // One that is not used for four seconds, on a busy machine, is replaced.
  assert.ok(new Set(used.map((line) => line.split(' ')[0])).size < used.length, used.join('\n'));
});

test('gateway: a large upload needs little memory', async () => {
  // So that the memory for a first transfer is there.
  await curl('--upload-file', join(folder, 'files/list.json'), `${server.url}/files/first.json`);
  const before = peakMemory();
  const status = await curl(
    '--upload-file',
    join(folder, 'large.bin'),
    '--write-out',
    '%{http_code}',
    `${server.url}/files/copy.bin`,
  );
  assert.equal(status, '201');
  assert.equal(await digest(join(folder, 'files/copy.bin')), await digest(join(folder, 'large.bin')));
  assert.ok(peakMemory() - before < mostGrowth, `${peakMemory() - before} bytes more`);
  const isUpload = (line) => line.endsWith(`PUT /copy.bin ${largeSize}`);
  const last = (await accessLog((lines) => isUpload(lines.at(-1)))).at(-1);
  assert.ok(isUpload(last), last);
});

test('gateway: a body of unknown length is forwarded', async () => {
  const status = await curl(
    '--upload-file',
    join(folder, 'large.bin'),
    '--header',
    'transfer-encoding: chunked',
    '--write-out',
    '%{http_code}',
    `${server.url}/files/chunked.bin`,
  );
  assert.equal(status, '201');
  assert.equal(await digest(join(folder, 'files/chunked.bin')), await digest(join(folder, 'large.bin')));
});

test('gateway: a large download needs little memory', async () => {
  const before = peakMemory();
  const body = join(folder, 'downloaded');
  const status = await curl('--output', body, '--write-out', '%{http_code}', `${server.url}/files/large.bin`);
  assert.equal(status, '200');
  assert.equal(await digest(body), await digest(join(folder, 'large.bin')));
  assert.ok(peakMemory() - before < mostGrowth, `${peakMemory() - before} bytes more`);
});

test('gateway: a response of nginx before the end of the body is forwarded', async () => {
  const status = await curl(
    '--upload-file',
    join(folder, 'large.bin'),
    '--output',
    '/dev/null',
    '--write-out',
    '%{http_code}',
    `${server.url}/files/small/large.bin`,
  );
  assert.equal(status, '413');
});

test('gateway: an upstream that is down is a 502', async () => {
  const gone = await freePort();
  const other = await startSample(gateway, sample, {
    folders: ['config'],
    local: { fetch: { proxy: [{ name: 'files', baseURL: `http://127.0.0.1:${gone}` }] } },
  });
  const status = await curl(
    '--upload-file',
    join(folder, 'large.bin'),
    '--output',
    '/dev/null',
    '--write-out',
    '%{http_code}',
    `${other.url}/files/copy.bin`,
  );
  await other.stop();
  assert.equal(status, '502');
});
