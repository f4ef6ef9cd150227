// Each recipe is whole without the others: its files include only each other and files of pages that it links, and the
// lines of CMake of these pages link the libraries that the files need.
// Usage: whole_test.mjs PAGES
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import test from 'node:test';

import { blocksOf, linksOf } from '../../../tools/site/pages.mjs';

const recipes = process.argv[2];

/** The target of CMake of a library, by a header of it. */
const libraries = {
  'sqlite3.h': /SQLite::SQLite3/,
  'openssl/': /OpenSSL::Crypto/,
  'sodium.h': /PkgConfig::sodium/,
  'pqxx/': /PkgConfig::pqxx/,
  'crypt.h': /\bcrypt\)/,
};

const filesOf = (page) =>
  Object.fromEntries(
    blocksOf(page)
      .filter(({ file }) => file?.startsWith('src/'))
      .map(({ file, lines }) => [file, lines.join('\n')]),
  );
const includesOf = (text, form) => [...text.matchAll(form)].map(([, name]) => name);

/** The files of a recipe, with the files that it takes from pages that it links, and the pages. */
function partsOf(page) {
  const files = filesOf(page);
  const pages = new Set([page]);
  const linked = linksOf(page)
    .map(({ target }) => join(dirname(page), target.split('#')[0]))
    .filter((path) => path.endsWith('.md'));
  const waiting = Object.values(files);
  while (waiting.length > 0) {
    for (const name of includesOf(waiting.pop(), /^#include "(?!.*\.routes\.hpp)(.*)"/gm)) {
      const file = `src/${name}`;
      if (file in files) continue;
      const source = linked.find((each) => file in filesOf(each));
      assert.ok(source, `${basename(page)}: no page that it links has ${file}`);
      pages.add(source);
      files[file] = filesOf(source)[file];
      waiting.push(files[file]);
    }
  }
  return { files, pages: [...pages] };
}

for (const name of readdirSync(recipes).filter((each) => each !== 'README.md')) {
  test(`recipes: ${name} needs no other recipe that it does not link`, () => {
    const { files, pages } = partsOf(join(recipes, name));
    const lines = pages
      .flatMap(blocksOf)
      .filter(({ language }) => language === 'cmake')
      .flatMap((block) => block.lines)
      .join('\n');
    for (const text of Object.values(files)) {
      for (const header of includesOf(text, /^#include <(.*)>/gm)) {
        const library = Object.keys(libraries).find((each) => header.startsWith(each));
        if (library) assert.match(lines, libraries[library], `${name}: what links the library of <${header}>?`);
      }
    }
  });
}
