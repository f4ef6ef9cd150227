// Writes the examples of pages for the compiler: snippets.mjs OUT ROOT PAGE...
//   OUT/src/PATH           each block whose first line names src/PATH, and db/PATH likewise
//   OUT/config/PAGE.json   the first block of JSON of a page
//   OUT/fragments.cpp      all other blocks of C++, each in a function of its own
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { blocksOf } from '../../tools/site/pages.mjs';

const [out, root, ...pages] = process.argv.slice(2);

// What a fragment may use without declaring it: `<!-- snippet: KIND -->` above the block.
const kinds = {
  handler: 'fw::Router& app, fw::Request& req, fw::Response& res',
  app: 'fw::App& app',
  test: 'fw::testing::TestApp& app',
  function: 'int argc, char** argv',
  file: null,
};

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const written = new Map();
const includes = new Set();
const fragments = [];
for (const path of pages) {
  let hasConfiguration = false;
  for (const block of blocksOf(path)) {
    const text = block.lines.join('\n') + '\n';
    const place = `${relative(root, path)}:${block.line}`;
    if (block.language === 'json' && !hasConfiguration) {
      hasConfiguration = true;
      write(join(out, 'config', `${basename(path, '.md')}.json`), text);
    }
    if (block.file?.match(/^(src|db)\//)) {
      if (basename(path) === 'README.md') continue; // blocks of docs/existing-project.md, which a test of consumers builds
      if (written.has(block.file)) throw new Error(`${place}: ${written.get(block.file)} has ${block.file} too`);
      written.set(block.file, place);
      write(join(out, block.file), text);
    } else if (block.language === 'cpp' && !block.file) {
      const kind = block.directives.snippet ?? 'handler';
      if (!(kind in kinds)) throw new Error(`${place}: there is no kind '${kind}' of fragments`);
      for (const line of block.lines) if (line.startsWith('#include')) includes.add(line.replace(/\s*\/\/.*/, ''));
      const code = block.lines.map((line) => (line.startsWith('#include') ? '' : line)).join('\n');
      const name = `fragment_${fragments.length + 1}`;
      const located = `#line ${block.line} "${relative(root, path)}"\n${code}\n`;
      fragments.push(
        kinds[kind] === null
          ? `namespace ${name} {\n${located}}\n`
          : `void ${name}(${kinds[kind].replace(/(^|, )/g, '$1[[maybe_unused]] ')}) {\n${located}}\n`,
      );
    }
  }
}
write(
  join(out, 'fragments.cpp'),
  `#include "context.hpp"\n${[...includes].sort().join('\n')}\n\n${fragments.join('\n')}`,
);
console.log(`${pages.length} pages: ${written.size} files and ${fragments.length} fragments`);
