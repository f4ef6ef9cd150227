// Whether the names of tests have their subject: test_names.mjs TREE
// The name of a test is "subject: sentence", or "[diagnostic] sentence" of a diagnostic of the compiler.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const tree = process.argv[2];
const skipped = new Set(['.git', 'build', 'node_modules']);
const string = '(?:"(?:[^"\\\\\\n]|\\\\.)*"\\s*)+';
const forms = [
  [/\.[ch]pp$/, new RegExp(`\\bTEST_CASE(?:_FIXTURE|_TEMPLATE)?\\(\\s*(?:[\\w:]+,\\s*)?(${string})`, 'g')],
  [/\.mjs$/, /^(?:await |\s*)(?:test|it)\(\s*((['"`])(?:(?!\2)[^\\\n]|\\.)*\2)/gm],
];

function* filesOf(folder) {
  for (const entry of readdirSync(join(tree, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !skipped.has(entry.name)) yield* filesOf(path);
    if (entry.isFile()) yield path;
  }
}

let found = 0;
let wrong = 0;
for (const path of filesOf('')) {
  for (const [files, form] of forms) {
    if (!files.test(path)) continue;
    const text = readFileSync(join(tree, path), 'utf8');
    for (const match of text.matchAll(form)) {
      found += 1;
      const name = match[1].trim().replace(/"\s+"/g, '').slice(1, -1);
      if (/^(?:\[[a-z-]+\] )+\S|^\S.*: \S/.test(name)) continue;
      wrong += 1;
      console.log(`${path}:${text.slice(0, match.index).split('\n').length}: "${name}" has no subject`);
    }
  }
}
console.log(`${wrong} of ${found} names to write again`);
process.exit(wrong > 0 || found === 0 ? 1 : 0);
