// Reader tests end when a program of a page fails, instead of waiting for its output.
// Usage: commands_test.mjs ROOT
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { startServer } from '../e2e/support/server_process.mjs';

const root = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), 'fairway-commands-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const patience = 300_000; // a reader waits longer

/** The reader's error for a page with a program in the background, of which it expects the output. */
function errorOf(script, ...expected) {
  writeFileSync(join(folder, 'program.sh'), script);
  const page = join(folder, 'page.md');
  const block = ['<!-- run: background -->', '```console', `$ bash ${folder}/program.sh`, ...expected, '```', ''];
  writeFileSync(page, block.join('\n'));
  const reader = spawnSync(process.execPath, [join(root, 'tests/docs/commands.mjs'), '/usr', 'c++', '', page], {
    encoding: 'utf8',
    timeout: patience,
  });
  assert.equal(reader.status, 1, reader.stderr);
  return reader.stderr;
}

test('reader: a program that a signal ends is an error', () => {
  assert.match(errorOf('echo begun; kill -KILL $$', 'begun', 'ready'), /the program ended with SIGKILL; its output:/);
  assert.match(errorOf('echo begun; sleep 0.1; kill -KILL $$', 'begun'), /after Ctrl-C, the exit status is SIG/);
});

test('reader: an error of fairway dev, which keeps running, is an error', () => {
  const script = `echo 'fairway: The build failed after 0.02 s; nothing is running'
echo 'no compiler'
echo 'fairway: pages of http://127.0.0.1:3000 show the error in a browser'
exec sleep 1000`;
  assert.match(errorOf(script, 'fairway: ready in 1.0 s'), /is not in the output, but an error:\n.*\nno compiler\n/s);
});

test('server process: a program that a signal ends opens no port', { timeout: patience }, async () => {
  await assert.rejects(startServer('bash', ['-c', 'echo log; kill -KILL $$'], folder), /^Error: no server: log/);
});
