// Whether the names of tests have their subject: test_names.mjs TREE
// The name of a test, or of a case of a shell script, is "subject: sentence", or "[diagnostic] sentence" of a
// diagnostic that docs/diagnostics.md describes. A subject is written in one way, and no name is in a file twice.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const tree = process.argv[2];
const skipped = new Set(['.git', 'build', 'node_modules']);
const string = '(?:"(?:[^"\\\\\\n]|\\\\.)*"\\s*)+';
const forms = [
  [/\.[ch]pp$/, new RegExp(`\\bTEST_CASE(?:_FIXTURE|_TEMPLATE)?\\(\\s*(?:[\\w:]+,\\s*)?(${string})`, 'g')],
  [/\.mjs$/, /^(?:await |\s*)(?:test|it)\(\s*((['"`])(?:(?!\2)[^\\\n]|\\.)*\2)/gm],
  [/\.sh$/, /^ *begin +("(?:[^"\\\n]|\\.)*"|'[^'\n]*')$/gm],
];
const page = join(tree, 'docs/diagnostics.md');
const headings = existsSync(page) ? readFileSync(page, 'utf8').matchAll(/^## ([a-z0-9-]+)$/gm) : [];
const diagnostics = new Set(Array.from(headings, (heading) => heading[1]));

function* filesOf(folder) {
  const entries = readdirSync(join(tree, folder), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !skipped.has(entry.name)) yield* filesOf(path);
    if (entry.isFile()) yield path;
  }
}

/** For what the spellings of a subject have in common, the names with each spelling. */
const subjects = new Map();

/** What is wrong with a name; undefined if it is right. */
function errorIn(name, location, namesOfFile) {
  if (namesOfFile.has(name)) return 'is in this file twice';
  namesOfFile.add(name);
  const brackets = /^(?:\[[a-z-]+\] )+(?=\S)/.exec(name);
  if (brackets) {
    const unknown = brackets[0].match(/[a-z-]+/g).find((diagnostic) => !diagnostics.has(diagnostic));
    return unknown && `names no diagnostic of docs/diagnostics.md: ${unknown}`;
  }
  const subject = /^(\S.*?): \S/.exec(name)?.[1];
  if (!subject) return 'has no subject';
  const key = subject.toLowerCase().replace(/s\b|[-_ ./]/g, '');
  if (!subjects.has(key)) subjects.set(key, {});
  (subjects.get(key)[subject] ??= []).push(`${location}: "${name}"`);
  return undefined;
}

let found = 0;
let wrong = 0;
for (const path of filesOf('')) {
  for (const [files, form] of forms) {
    if (!files.test(path)) continue;
    const text = readFileSync(join(tree, path), 'utf8');
    const namesOfFile = new Set();
    for (const match of text.matchAll(form)) {
      found += 1;
      const name = match[1].trim().replace(/"\s+"/g, '').slice(1, -1);
      const location = `${path}:${text.slice(0, match.index).split('\n').length}`;
      const error = errorIn(name, location, namesOfFile);
      if (!error) continue;
      wrong += 1;
      console.log(`${location}: "${name}" ${error}`);
    }
  }
}
for (const spellings of subjects.values()) {
  const [usual, ...others] = Object.entries(spellings).sort(([, a], [, b]) => b.length - a.length);
  for (const name of others.flatMap(([, names]) => names)) {
    wrong += 1;
    console.log(`${name} has a subject that is also written "${usual[0]}"`);
  }
}
console.log(`${wrong} of ${found} names to write again`);
process.exit(wrong > 0 || found === 0 ? 1 : 0);
