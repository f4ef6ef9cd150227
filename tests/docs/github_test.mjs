// The files that a hosted repository reads: workflows whose commands exist, and forms for issues.
// Usage: github_test.mjs ROOT
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import test from 'node:test';

const root = process.argv[2];
const { parseDocument } = createRequire(join(root, 'tools/npm/'))('yaml');
const folder = join(root, '.github');

function read(name) {
  const document = parseDocument(readFileSync(join(folder, name), 'utf8'), { strict: true });
  assert.deepEqual(document.errors.concat(document.warnings), [], name);
  return document.toJS();
}
const names = (below) => readdirSync(join(folder, below)).map((name) => `${below}/${name}`);

test('github: workflows have jobs whose commands exist', () => {
  let commands = 0;
  for (const name of names('workflows')) {
    const workflow = read(name);
    assert.ok(workflow.on && workflow.name && workflow.permissions, name);
    for (const job of Object.values(workflow.jobs)) {
      assert.equal(typeof job['runs-on'], 'string', name);
      for (const step of job.steps) {
        assert.equal(step.run === undefined, step.uses !== undefined, name);
        for (const [, command] of (step.run ?? '').matchAll(/^((?:tools|\.ci)\/\S+)/gm)) {
          accessSync(join(root, command), constants.X_OK);
          commands += 1;
        }
      }
    }
  }
  assert.ok(commands >= 2);
});

test('github: the nightly jobs have all steps but those that need the sources of others', () => {
  const program = join(root, 'tools/nightly.sh');
  const steps = execFileSync(program, ['--list'], { encoding: 'utf8' }).trim().split('\n');
  const { matrix } = read('workflows/nightly.yml').jobs.nightly.strategy;
  const others = ['http_arena', 'http2_specification'];
  const jobs = matrix.nightly.flatMap((names) => names.split(' '));
  assert.deepEqual([...jobs, ...others].toSorted(), steps.toSorted());
  const script = readFileSync(program, 'utf8');
  for (const step of steps) assert.match(script, new RegExp(`^${step}\\(\\) `, 'm'));
  for (const [wrong, message] of [
    [['x'], /'x' is not a number of minutes/],
    [['1', 'soaking'], /there is no step 'soaking'/],
  ]) {
    const { status, stderr } = spawnSync(program, wrong, { encoding: 'utf8' });
    assert.equal(status, 2);
    assert.match(stderr, message);
  }
});

test('github: forms of issues have fields with labels', () => {
  const forms = names('ISSUE_TEMPLATE').filter((name) => !name.endsWith('/config.yml'));
  assert.ok(forms.length >= 2);
  for (const name of forms) {
    const form = read(name);
    assert.ok(form.name && form.description, name);
    const fields = form.body.filter(({ type }) => type !== 'markdown');
    assert.equal(new Set(fields.map(({ id }) => id)).size, fields.length, name);
    for (const { type, id, attributes } of fields) {
      assert.ok(['input', 'textarea', 'dropdown', 'checkboxes'].includes(type), name);
      assert.ok(id && attributes.label, name);
      assert.equal(type === 'dropdown', attributes.options !== undefined, name);
    }
    for (const [page] of JSON.stringify(form).matchAll(/\b(?:docs\/[\w-]+|[A-Z]+)\.md\b/g)) {
      assert.ok(existsSync(join(root, page)), `${name}: ${page}`);
    }
  }
  read('ISSUE_TEMPLATE/config.yml');
});
