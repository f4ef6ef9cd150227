// Checks pages without running anything: check.mjs ROOT BUILD FOLLOWED... Links and their anchors lead somewhere,
// docs/README.md lists every page but the recipes, which tests/e2e/recipes compares with their index and follows, JSON is JSON, blocks that name a file of a sample are in that file,
// commands are run by a reader test (`console`) or say by which test, and pages cite nothing that a reader does not have.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { anchorsOf, blocksOf, linksOf, proseOf } from '../../tools/site/pages.mjs';
import { cppSources, unknownNames } from './cpp_names.mjs';

const [root, build, ...followed] = process.argv.slice(2);
const tests = execFileSync('ctest', ['--test-dir', build, '-N'], { encoding: 'utf8' });
const isTest = (name) => new RegExp(`: ${name}$`, 'm').test(tests);
const docs = ['docs', 'docs/recipes'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(root, folder, name)),
);
const isRecipe = (page) => dirname(page) === join(root, 'docs/recipes');
const readmes = readdirSync(join(root, 'samples'))
  .map((name) => join(root, 'samples', name, 'README.md'))
  .filter(existsSync);
const internals = ['CONTRIBUTING.md', 'SECURITY.md']
  .map((name) => join(root, name))
  .concat(readdirSync(join(root, 'docs/internals')).map((name) => join(root, 'docs/internals', name)));
const pages = [join(root, 'README.md'), join(root, 'samples/README.md'), ...docs, ...readmes, ...internals];
const errors = [];
let links = 0;
const report = (page, line, message) => errors.push(`${relative(root, page)}:${line}: ${message}`);

for (const page of pages) {
  for (const { text, target, line } of linksOf(page)) {
    if (/^[a-z]+:/.test(target)) continue;
    if (docs.includes(page) && text.startsWith('docs/'))
      report(page, line, `[${text}] is not the path of the link; write [${text.slice('docs/'.length)}]`);
    links += 1;
    const [path, anchor] = target.split('#');
    const file = path ? normalize(join(dirname(page), path)) : page;
    if (!existsSync(file)) report(page, line, `there is no ${relative(root, file)}`);
    else if (anchor && !anchorsOf(file).has(anchor))
      report(page, line, `${relative(root, file)} has no heading #${anchor}`);
    else if (docs.includes(page) && path && !docs.includes(file) && dirname(file) !== join(root, 'docs/pictures'))
      report(page, line, `${target} is not a page of the site`);
  }
  for (const { text, line } of proseOf(page)) {
    if (/\bthe reference\b|\bnot-shown\b|\bspecification of Fairway\b/.test(text) && docs.includes(page)) {
      report(page, line, 'a reader does not have that document');
    }
  }
  for (const block of blocksOf(page)) {
    const text = block.lines.join('\n');
    if (block.language === 'json') {
      try {
        JSON.parse(text);
      } catch (error) {
        report(page, block.line, error.message);
      }
    }
    if (block.file?.startsWith('samples/')) {
      const sample = readFileSync(join(root, block.file), 'utf8');
      const [, ...code] = block.lines;
      if (!sample.includes(code.join('\n'))) report(page, block.line, `this is not in ${block.file}`);
    }
    const { tested, untested } = block.directives;
    if (tested && !isTest(tested)) report(page, block.line, `there is no test ${tested}`);
    const isFollowed = block.language === 'console' && (followed.includes(relative(root, page)) || isRecipe(page));
    if (['console', 'sh'].includes(block.language) && !isFollowed && !tested && !untested) {
      report(page, block.line, 'no test runs these commands: <!-- tested: TEST --> or <!-- untested: REASON -->');
    }
  }
}

// Files that the pages for contributors name exist; <name> stands for any.
for (const page of internals) {
  for (const { text, line } of proseOf(page)) {
    for (const [, path] of text.matchAll(
      /`((?:cmake|compiler|docs|generated|runtime|samples|tests|tools)\/[\w./<>*-]+)`/g,
    )) {
      const shown = path.replace(/[^/]*[<*].*$/, '');
      if (!existsSync(join(root, shown))) report(page, line, `there is no ${shown}`);
    }
  }
}

// So do the classes, members and functions; architecture.md also names tests.
const architecture = join(root, 'docs/internals/architecture.md');
const program = cppSources(root, ['compiler', 'runtime']);
for (const page of internals) {
  for (const { name, line } of unknownNames(page, program, page === architecture))
    if (!isTest(name)) report(page, line, `the sources do not declare ${name}`);
}

// architecture.md names files of the runtime and of the compiler, with or without their extension.
for (const { text, line } of proseOf(architecture)) {
  for (const [, path] of text.matchAll(/`([a-z_]+(?:\/[a-z_*.]+)+)`/g)) {
    const paths = ['', 'runtime', 'compiler', 'tests'].flatMap((room) =>
      ['', '.cpp', '.hpp'].map((extension) => join(root, room, path + extension)),
    );
    if (!path.includes('*') && !paths.some(existsSync)) report(architecture, line, `there is no ${path}`);
  }
}

// It has all threads, their bounds, and what is of one thread.
const threads = [...proseOf(architecture)].flatMap(({ text, line }) => {
  const [, path, bound] = /^\|[^|]*\| `(\w+(?:\/\w+)+)` \|(.*)\|$/.exec(text) ?? [];
  return path === undefined ? [] : [{ path, bound, line }];
});
const textOf = (path) =>
  ['.cpp', '.hpp']
    .map((extension) => join(root, 'runtime', path + extension))
    .filter(existsSync)
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
for (const { path, bound, line } of threads) {
  for (const [, constant] of bound.matchAll(/`(k\w+ = \d+)`/g))
    if (!textOf(path).includes(` ${constant};`)) report(architecture, line, `${path} has no ${constant}`);
}
const architectureText = readFileSync(architecture, 'utf8');
for (const name of readdirSync(join(root, 'runtime'), { recursive: true }).filter((each) => /\.[ch]pp$/.test(each))) {
  const path = name.replace(/\.[ch]pp$/, '');
  const source = readFileSync(join(root, 'runtime', name), 'utf8');
  if (/^[^/\n]*\bstd::j?thread(?:\(\[| \w+_?;)/m.test(source) && !threads.some((thread) => thread.path === path))
    report(architecture, 1, `there is no row of the threads of ${path}`);
  if (
    /^(?:inline |constinit |static )*thread_local [^\n]* t_\w+ =/m.test(source) &&
    !architectureText.includes(`\`${path}\``)
  )
    report(architecture, 1, `it does not name the state of a thread in ${path}`);
}
const rooms = [...proseOf(architecture)].filter(({ text }) => /^\| `/.test(text)).map(({ text }) => text.split('|')[1]);
for (const { name } of readdirSync(join(root, 'runtime'), { withFileTypes: true }).filter((each) =>
  each.isDirectory(),
)) {
  if (name !== 'include' && !rooms.some((row) => row.includes(`\`${name}`)))
    report(architecture, 1, `there is no row of the room ${name}`);
}
if (threads.length < 15) report(architecture, 1, 'these are not all threads');

// Each stage is in the file that its declaration is below.
const declarations = join(root, 'runtime/chain/stages.hpp');
let file = '';
readFileSync(declarations, 'utf8')
  .split('\n')
  .forEach((text, index) => {
    file = /^\/\/ (\S+\.cpp)$/.exec(text)?.[1] ?? file;
    const [, create, name] = /^Stages ((\w+)_stages?)\(/.exec(text) ?? [];
    if (create === undefined) return;
    const path = join(root, 'runtime', file.replace('<name>', name));
    if (!existsSync(path) || !readFileSync(path, 'utf8').includes(`\nStages ${create}(`))
      report(declarations, index + 1, `${create} is not in ${relative(root, path)}`);
  });

// Each feature has its page and its tests, under its own name.
const features = join(root, 'runtime/features');
const folders = readdirSync(features);
for (const name of folders) {
  for (const expected of [`docs/${name.replaceAll('_', '-')}.md`, `tests/runtime/features/${name}`])
    if (!existsSync(join(root, expected))) report(join(features, name), 1, `there is no ${expected}`);
}
if (folders.length < 10) report(features, 1, 'these are not all features');

// Comments name pages of docs/, not sections of a document that a reader does not have.
const sources = ['compiler', 'runtime', 'samples', 'tests'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)),
);
let citations = 0;
for (const name of sources.filter((each) => /\.[ch]pp$/.test(each))) {
  readFileSync(join(root, name), 'utf8')
    .split('\n')
    .forEach((text, index) => {
      const where = [join(root, name), index + 1];
      if (
        /\(reference(:|$)|\bthe reference's\b|\bof the reference(:| \()|^\s*\/\/.*\bThe reference (has|says)\b/.test(
          text,
        )
      ) {
        report(...where, 'name a page of docs/: a reader does not have the reference');
      }
      for (const [, page] of text.matchAll(/\/\/.*?\b(docs\/[\w-]+\.md)/g)) {
        citations += 1;
        if (!existsSync(join(root, page))) report(...where, `there is no ${page}`);
      }
    });
}

// In a project of `fairway new`, the tests link the library of the routes, not the program.
const template = join(root, 'compiler/scaffold/templates/common/CMakeLists.txt');
if (!readFileSync(template, 'utf8').includes('add_library(@project@-app STATIC'))
  report(template, 9, 'the recipes link PROJECT-app, which has the routes');
for (const page of pages.filter((name) => isRecipe(name) || name === join(root, 'docs/databases.md'))) {
  readFileSync(page, 'utf8')
    .split('\n')
    .forEach((text, index) => {
      if (/^target_link_libraries\((?!my-api-app )/.test(text))
        report(page, index + 1, 'link my-api-app, which has the routes');
    });
}

// What the page installs is what Fairway is built with.
const installing = readFileSync(join(root, 'docs', 'installing.md'), 'utf8');
const setup = readFileSync(join(root, 'tools', 'setup.sh'), 'utf8').split(/\s+/);
const named = [...installing.matchAll(/apt-get install ((?:.*\\\n)*.*)/g)].map(([, names]) => names).join(' ');
for (const name of named.split(/[\s\\]+/).filter((each) => each !== '' && !each.startsWith('./'))) {
  if (!setup.includes(name)) report(join(root, 'docs', 'installing.md'), 1, `tools/setup.sh does not install ${name}`);
}

// Each event has a row.
const events = readFileSync(join(root, 'runtime/include/fairway/hooks.hpp'), 'utf8').matchAll(/^struct (\w+)/gm);
const hooks = readFileSync(join(root, 'docs/hooks.md'), 'utf8');
for (const [, name] of events) {
  if (!hooks.includes(`| \`${name}\` |`)) report(join(root, 'docs/hooks.md'), 1, `there is no row of ${name}`);
}

// Each string format is in the page of formats.
const kinds = readFileSync(join(root, 'runtime/schema/kinds.cpp'), 'utf8');
for (const [, format] of kinds.matchAll(/KindInfo\{Kind::\w+, "(\w+)"[^}]*\bis_\w+/g)) {
  const page = join(root, 'docs/formats.md');
  if (!readFileSync(page, 'utf8').includes(`\`${format}\``)) report(page, 1, `there is no format ${format}`);
}

// The table of invariants says which of them `tests/pairs` checks, by their names.
const security = join(root, 'docs/security.md');
const pairs = readdirSync(join(root, 'tests/pairs'))
  .filter((name) => name.endsWith('.cpp'))
  .map((name) => readFileSync(join(root, 'tests/pairs', name), 'utf8'))
  .join('\n');
for (const { text, line } of proseOf(security)) {
  const [, name, tests] = /^\| ([a-z]+(?:-[a-z]+)+) \|.*\|(.*)\|$/.exec(text) ?? [];
  if (name !== undefined && tests.includes('`tests/pairs`') !== pairs.includes(`"${name}/`))
    report(security, line, `the row and tests/pairs differ about ${name}`);
}

// The README shows a part of a project that a test of consumers builds.
const project = new Set(
  blocksOf(join(root, 'docs/existing-project.md')).map(({ language, lines }) => [language, ...lines].join('\n')),
);
const readme = join(root, 'README.md');
for (const { language, lines, line } of blocksOf(readme)) {
  if (['cpp', 'ts'].includes(language) && !project.has([language, ...lines].join('\n')))
    report(readme, line, 'this is not in docs/existing-project.md');
}
// The pages that it links have the same figures.
const readmeText = readFileSync(readme, 'utf8');
const pageOf = (name) => readFileSync(join(root, 'docs', name), 'utf8');
const numbersOf = (text) => [...text.matchAll(/\d+(?:\.\d+)?/g)].map(([number]) => Number(number));
const sets = [...pageOf('http-conformance.md').matchAll(/^\| \w+ \| (\d+) \| \d+ \| \d+ \|$/gm)];
const socketCases = pageOf('websocket-conformance.md').match(/^\| \d+(?:\.\d+)+ \|/gm);
const frameworks = pageOf('comparison.md')
  .split(/^## /m)[1]
  .match(/^\| \w.* \|$/gm);
const edits = [
  ...pageOf('compiler-speed.md').matchAll(/^\| 200 files.*\| fairway, one file edited \| [\d.]+ \| ([\d.]+) \|/gm),
];
const compilations = numbersOf(/^\| compiling the route file \|(.*)$/m.exec(pageOf('dev.md'))[1]);
for (const [figure, isRight] of [
  [/and our own, (\d+) in all/, (all) => sets.reduce((sum, [, cases]) => sum + Number(cases), 0) === all],
  [/all (\d+) cases of h2spec/, (cases) => pageOf('http2.md').includes(`the usual ${cases},`)],
  [/sockets (\d+) numbered cases/, (cases) => socketCases.length === cases],
  [/Drogon and (nine) others/, () => frameworks.length === 10],
  [/needs less than (a second)/, () => edits.length === 2 && edits.every(([, wall]) => Number(wall) < 1)],
  [/C\+\+\]\(docs\/dev\.md#what-takes-the-time\) ([\d.]+) to/, (least) => Math.min(...compilations) === least],
  [
    /C\+\+\]\(docs\/dev\.md#what-takes-the-time\) [\d.]+ to (\d+) s/,
    (most) => Math.round(Math.max(...compilations)) === most,
  ],
  [/ready in ([\d.]+) s/, (first) => pageOf('dev.md').includes(`first build of a new project takes ${first} s`)],
]) {
  const value = figure.exec(readmeText)?.[1];
  if (value === undefined || !isRight(Number(value)))
    report(readme, 1, `another figure than in its page: ${figure.source}`);
}
if (readFileSync(readme, 'utf8').split('\n').length > 151) report(readme, 151, 'more than 150 lines');

const contents = readFileSync(join(root, 'docs', 'README.md'), 'utf8');
for (const page of docs.filter((each) => !isRecipe(each))) {
  const name = relative(join(root, 'docs'), page);
  if (name !== 'README.md' && !contents.includes(`(${name})`))
    report(join(root, 'docs', 'README.md'), 1, `${name} is not listed`);
}

for (const error of errors) console.error(error);
console.log(`${pages.length} pages, ${links} links, ${citations} comments`);
process.exit(errors.length > 0 || links < 100 || citations < 40 ? 1 : 0);
