// Writes docs/diagnostics.md: the catalogue. The output of each example is the command's output.
// Usage: node diagnostics-page.mjs FAIRWAY, in the root of the project. Fails if an example does not violate its rule, if its fixed version still does, or if --explain shows another example.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const fairway = path.resolve(process.argv[2]);
const root = process.cwd();
const examples = path.join(root, 'docs/diagnostics');
let errors = 0;
function fail(text) {
  errors += 1;
  console.error(`diagnostics page: ${text}`);
}

function run(options) {
  const result = spawnSync(fairway, ['doctor', ...options], { cwd: examples, encoding: 'utf8' });
  if (result.status !== 0 && result.status !== 1) throw new Error(result.stderr);
  return result;
}
/// The output of doctor for a tree, with a configuration that enables nothing for routes: by rule, the findings in the files of that name.
function findings(tree) {
  const config = ['https-not-enabled', 'bad-configuration']
    .map((name) => `${tree}/config/${name}.json`)
    .find((name) => existsSync(path.join(examples, name)));
  const { stderr } = run([
    '--no-config',
    '--app-config',
    config ?? 'app.json',
    '--source-dir',
    tree,
    '--',
    '-std=c++20',
    `-I${path.join(root, 'runtime/include')}`,
    '-include',
    'prelude.hpp',
  ]);
  const blocks = stderr.split(/^(?=\S+: (?:error|warning): )/m);
  // The last line is the summary.
  blocks.push(blocks.pop().replace(/^\d+ (?:error|warning).* in \d+ files?\n/m, ''));
  // With an error, the command runs no lints, so that no example would show its own.
  const unexpected = tree === 'errors' ? [] : blocks.filter((block) => /^\S+: error: /.test(block));
  if (unexpected.length > 0) {
    console.error(`diagnostics page: docs/diagnostics/${tree} must have no errors:\n${unexpected.join('')}`);
    process.exit(1);
  }
  const byRule = new Map();
  for (const block of blocks) {
    const [, place, id] = /^(\S+?):.*\[([a-z-]+)\]\n/.exec(block) ?? [];
    const name = place?.split('/')[2]?.replace(/\.(?:cpp|html|json)$/, '');
    if (name === undefined) continue;
    if (tree === 'errors' && id !== name) fail(`${place} shows '${id}'`);
    if (id === name) byRule.set(id, (byRule.get(id) ?? '') + block);
  }
  return byRule;
}
/// The example of a rule: a route file, a page, a configuration, or a locale file.
function source(tree, id) {
  const [file] = [`routes/${id}.cpp`, `pages/${id}.html`, `config/${id}.json`, `locales/${id}.json`]
    .map((name) => path.join(examples, tree, name))
    .filter(existsSync);
  return file && { text: readFileSync(file, 'utf8'), language: path.extname(file).slice(1) };
}
const fenced = ({ language, text }) => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\n`;
const squeezed = (text) => text.replace(/\s+/g, '');

const rules = run(['--list-rules'])
  .stdout.trimEnd()
  .split('\n')
  .map((line) => /^(\S+)\s+(\S+)\s+(.*)$/.exec(line).slice(1));
const shown = new Map([...findings('errors'), ...findings('warnings')]);
const unrepaired = findings('repaired');

let page = `# Diagnostics

This page lists the diagnostics of \`fairway build\` and \`fairway doctor\`. Errors stop a build and
cannot be suppressed. Lints are warnings of \`fairway doctor\`; a project configures them in
\`.fairway.json\`, and \`// NOLINT(id)\` or \`// NOLINTNEXTLINE(id)\` suppresses a lint for one
line. \`fairway doctor --fix\` applies the fixes that are safe. Several findings about documentation in
one file are one line of its text; \`--all\` lists each of them.

This page is written by \`tools/docs.sh\` from the catalogue of the compiler and from the examples
in \`docs/diagnostics/\`, which a test checks.

| id | severity | rule |
| --- | --- | --- |
${rules.map(([id, severity, rule]) => `| [\`${id}\`](#${id}) | ${severity} | ${rule.replaceAll('|', '\\|')} |`).join('\n')}
`;
for (const [id, severity, rule] of rules) {
  const [explained, example] = run(['--explain', id]).stdout.split('\nExample:\n\n');
  const explanation = explained.trimEnd().split('\n\n').slice(2).join('\n\n');
  const tree = severity === 'error' ? 'errors' : 'warnings';
  const bad = source(tree, id);
  const good = source('repaired', id);
  const isOfFiles = example
    .trimEnd()
    .split('\n')
    .every((name) => existsSync(path.join(examples, tree, name)));
  if (bad === undefined && !isOfFiles) fail(`there is no docs/diagnostics/${tree}/routes/${id}.cpp`);
  if (!shown.has(id)) fail(`the example of '${id}' does not show it`);
  if (unrepaired.has(id)) fail(`the repaired example of '${id}' still breaks it`);
  if (bad !== undefined && !isOfFiles && !squeezed(bad.text).includes(squeezed(example))) {
    fail(`'fairway doctor --explain ${id}' shows another example than docs/diagnostics`);
  }
  page += `\n## ${id}\n\n${severity === 'error' ? 'Error' : 'Lint'}: ${rule}.\n\n${explanation}\n\n`;
  page += isOfFiles ? `\`\`\`text\n${example.trimEnd()}\n\`\`\`\n\n` : `${bad ? fenced(bad) : ''}\n`;
  page += `\`\`\`text\n${shown.get(id)?.trimEnd()}\n\`\`\`\n`;
  if (good !== undefined) page += `\nFixed:\n\n${fenced(good)}`;
}
if (errors > 0) process.exit(1);

const file = process.argv[3] ?? path.join(root, 'docs/diagnostics.md');
writeFileSync(file, page);
