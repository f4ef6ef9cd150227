// The language server publishes for the example of each rule what `fairway doctor` says: the same rule, place and message, and the
// link to its documentation.
// Usage: every_diagnostic_test.mjs FAIRWAY INCLUDE_DIR FOLDER_OF_EXAMPLES
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { LspClient, OpenDocument } from './client.mjs';

const [fairway, include, examples] = process.argv.slice(2).map((path) => resolve(path));
const cache = mkdtempSync(join(tmpdir(), 'fairway-every-diagnostic-'));
process.on('exit', () => rmSync(cache, { recursive: true, force: true }));

function doctor(options) {
  const { status, stdout, stderr } = spawnSync(fairway, ['doctor', ...options], { cwd: examples, encoding: 'utf8' });
  assert.ok(status === 0 || status === 1, stderr);
  return stdout;
}
const rules = doctor(['--list-rules'])
  .trimEnd()
  .split('\n')
  .map((line) => line.split(/\s+/, 1)[0]);
const shown = new Set();

/** What diagnostics say. One about a whole file has line 0, and an editor shows it in the first line. */
const listed = (diagnostics) =>
  diagnostics.map(({ line, id, severity, message }) => `${Math.max(line, 1)}: ${severity}: ${message} [${id}]`).sort();
const severities = { 1: 'error', 2: 'warning' };

for (const tree of ['errors', 'warnings']) {
  test(`language server: the examples in ${tree} have the diagnostics of doctor`, async (t) => {
    const config = ['https-not-enabled', 'bad-configuration']
      .map((name) => `${tree}/config/${name}.json`)
      .find((name) => existsSync(join(examples, name)));
    const options = ['--no-config', '--app-config', config, '--source-dir', tree, '--cache-dir', cache];
    const flags = ['--', '-std=c++20', `-I${include}`, '-include', join(examples, 'prelude.hpp')];
    const found = JSON.parse(doctor(['--format', 'json', ...options, ...flags])).diagnostics;
    found.forEach(({ id }) => shown.add(id));
    const files = new Set(found.map(({ file }) => file));

    const client = new LspClient([fairway, 'lsp', ...options, ...flags], examples);
    after(() => client.kill());
    await client.start(pathToFileURL(examples).href);
    for (const file of files) {
      await t.test(file, async () => {
        const document = new OpenDocument(
          client,
          pathToFileURL(join(examples, file)).href,
          readFileSync(join(examples, file), 'utf8'),
        );
        const diagnostics = await document.diagnostics();
        for (const { code, codeDescription } of diagnostics) {
          const [page, heading] = codeDescription.href.split('#');
          assert.match(readFileSync(new URL(page), 'utf8'), new RegExp(`^## ${heading}$`, 'm'));
          assert.equal(heading, code);
        }
        const published = diagnostics.map(({ range, code, severity, message }) => ({
          line: range.start.line + 1,
          id: code,
          severity: severities[severity],
          message: message.split('\nhelp: ')[0],
        }));
        assert.deepEqual(listed(published), listed(found.filter((each) => each.file === file)));
        // Settings files, too, are checked as they are in the editor. The configuration of lints is that on disk.
        if (/\/(?:config|locales)\//.test(file) && !file.includes('https-not-enabled')) {
          const repaired = readFileSync(join(examples, file.replace(tree, 'repaired')), 'utf8');
          assert.deepEqual(await document.set(repaired), []);
        }
        await document.close();
      });
    }
    assert.equal(await client.stop(), 0);
  });
}

test('language server: there is an example of each rule', () => {
  assert.deepEqual(
    rules.filter((rule) => !shown.has(rule)),
    [],
  );
});
