// TypeScript as careful projects compile it.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const modules = new URL('../../../../tools/npm/node_modules/', import.meta.url).pathname;
export const require = createRequire(modules);

// Declarations of TypeScript itself and of Node are not ours to check: that takes half of the time.
const flags = [
  ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'],
  ['--noImplicitOverride', '--noPropertyAccessFromIndexSignature', '--noImplicitReturns'],
  ['--noUnusedLocals', '--noUnusedParameters', '--verbatimModuleSyntax', '--isolatedModules'],
  ['--erasableSyntaxOnly', '--target', 'es2022', '--module', 'nodenext', '--pretty', 'false'],
  ['--skipLibCheck'],
].flat();
const libraries = {
  browser: ['--lib', 'es2022,dom', '--typeRoots', '/nowhere'],
  node: ['--lib', 'es2022', '--typeRoots', join(modules, '@types'), '--types', 'node'],
};

/** A folder for modules; gone at the end of the process. */
export function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-client-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  return folder;
}

/** What tsc says about files; nothing when they compile. */
export function complaints(files, library) {
  const tsc = join(modules, 'typescript/bin/tsc');
  const run = spawnSync(
    process.execPath,
    [tsc, ...flags, ...libraries[library], ...files, '--outDir', dirname(files[0])],
    { encoding: 'utf8' },
  );
  return run.stdout + run.stderr;
}

/** Compiles a copy of one file and loads it. Gives its exports and the JavaScript. */
export async function load(file) {
  const copy = join(makeFolder(), basename(file));
  copyFileSync(file, copy);
  const errors = complaints([copy], 'node');
  if (errors !== '') throw new Error(errors);
  const script = copy.replace(/\.ts$/, '.js');
  return { exports: await import(script), script: readFileSync(script, 'utf8') };
}

/** Writes the client of a source tree. */
export function generate(fairway, include, sourceDir, name, file) {
  const run = spawnSync(
    fairway,
    ['client', 'ts', '--source-dir', sourceDir, '--client-name', name, '-o', file]
      .concat(['--title', 'Every thing */', '--api-version', '2', '--'])
      .concat(['-std=c++20', `-I${include}`]),
    { encoding: 'utf8' },
  );
  if (run.status !== 0) throw new Error(run.stderr);
}
