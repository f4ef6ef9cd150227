// The files of package managers agree with CMake: versions and options.
// Usage: packaging_test.mjs SOURCE_DIR
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const source = process.argv[2];
const read = (file) => readFileSync(join(source, file), 'utf8');
const cmake = ['CMakeLists.txt', ...readdirSync(join(source, 'cmake')).map((name) => `cmake/${name}`)]
  .map(read)
  .join('');
const [, version] = /project\(Fairway VERSION (\S+)/.exec(cmake);
const portfile = read('tools/packaging/vcpkg/portfile.cmake');
const recipe = read('tools/packaging/conan/conanfile.py');
const manifest = JSON.parse(read('tools/packaging/vcpkg/vcpkg.json'));

test('packaging: all files have the version of the project', () => {
  assert.equal(manifest.version, version);
  assert.ok(recipe.includes(`version = "${version}"`));
  assert.match(read('docs/CHANGELOG.md'), new RegExp(`^## ${version.replaceAll('.', '\\.')} `, 'm'));
});

test('packaging: all files name the licence and its holder', () => {
  const [, holder] = /^Copyright \(c\) \d+ (.+)$/m.exec(read('LICENSE'));
  assert.ok(read('LICENSE').startsWith('MIT License\n'));
  assert.equal(manifest.license, 'MIT');
  assert.ok(recipe.includes(`license = "MIT"`) && recipe.includes(`author = "${holder}"`));
  const extension = JSON.parse(read('tools/vscode/package.json'));
  assert.equal(extension.license, 'MIT');
  assert.equal(extension.author, holder);
  assert.ok(read('cmake/FairwayPackages.cmake').includes(`CPACK_PACKAGE_CONTACT "${holder}"`));
  assert.match(read('README.md'), /\[MIT licence\]\(LICENSE\)/);
});

test('packaging: the packages use only existing CMake options', () => {
  const used = `${portfile}${recipe}`.match(/FAIRWAY_[A-Z_]*[A-Z]/g);
  for (const option of new Set(used)) assert.match(cmake, new RegExp(`\\b${option}\\b`), option);
  const features = [...portfile.matchAll(/^    ([a-z]+) FAIRWAY_/gm)].map(([, name]) => name);
  assert.deepEqual([...new Set(features)].sort(), Object.keys(manifest.features).sort());
});

test('packaging: the Debian package recommends a Clang that fairway dev accepts', () => {
  const [, oldest] = /constexpr unsigned kOldestClang = (\d+);/.exec(read('compiler/dev/compiler_choice.cpp'));
  const [, list] = /COMMAND_PACKAGE_RECOMMENDS\s+"(.*)"/.exec(read('cmake/FairwayPackages.cmake'));
  assert.ok(list.split(', ').includes(`clang-\${llvm_version} | clang (>= 1:${oldest})`), list);
});

test('packaging: the Debian package recommends a compiler that CMake finds', () => {
  const [, list] = /DEVELOPMENT_PACKAGE_RECOMMENDS\s+"(.*)"/.exec(read('cmake/FairwayPackages.cmake'));
  const [compilers] = list.split(', ');
  for (const name of compilers.split(' | ')) assert.match(name, /^(g\+\+|clang)( \(|$)/);
});

test('packaging: every library has a notice', () => {
  const notices = read('docs/third-party.md').toLowerCase();
  const names = {
    'nlohmann-json': 'json for modern c++',
    curl: 'libcurl',
    zstd: 'zstandard',
    llvm: 'llvm',
    fmt: '{fmt}',
  };
  const dependencies = [manifest, ...Object.values(manifest.features)].flatMap((each) => each.dependencies);
  for (const { name = '', host = false } of dependencies.map((each) => (each.name ? each : { name: each }))) {
    if (!host) assert.ok(notices.includes(names[name] ?? name), name);
  }
});
