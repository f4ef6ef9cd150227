// Tests run.mjs with servers of its own and a wrk that notes whom it is started for, and what bench_peers.sh refuses.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { here } from './servers.mjs';

/** A new folder for one test. */
function scratch(t) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-run-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function writeProgram(path, ...lines) {
  writeFileSync(path, lines.join('\n'), { mode: 0o755 });
}

/** Runs run.mjs for /hello with servers that respond to it, named as their files; returns what it wrote. */
function runWith(folder, servers, flags) {
  const programs = join(folder, 'tests/bench/http');
  const bin = join(folder, 'bin');
  mkdirSync(programs, { recursive: true });
  mkdirSync(bin);
  for (const name of servers) {
    writeProgram(
      join(programs, `bench_http_${name}`),
      `#!${process.execPath}`,
      `const body = '{"message":"Hello, World!","version":1,"ok":true}';`,
      `require('http').createServer((request, response) => {`,
      `  if (request.url === '/name') return response.end('${name}');`,
      `  response.writeHead(200, { 'Content-Type': 'application/json' }).end(body);`,
      `}).listen(Number(process.argv[2]), '127.0.0.1');`,
    );
  }
  writeProgram(
    join(bin, 'wrk'),
    `#!${process.execPath}`,
    `const url = new URL('/name', process.argv.at(-1));`,
    `const seconds = process.argv.find((flag) => /^-d/.test(flag)).slice(2);`,
    `fetch(url).then((response) => response.text()).then((name) => {`,
    `  require('fs').appendFileSync(${JSON.stringify(join(folder, 'loads'))}, name + ' ' + seconds + '\\n');`,
    `  console.log('99% 1.00ms\\n100 requests in 1s\\nRequests/sec: 100');`,
    `});`,
  );
  const file = join(folder, 'figures.json');
  const command = [join(here, 'run.mjs'), '--build', folder, '--servers', servers.join(), '--cases', 'hello:1'];
  execFileSync(process.execPath, [...command, '--port', '0', '--json', file, ...flags], {
    env: { ...process.env, PATH: `${bin}:${process.env.PATH}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const loads = readFileSync(join(folder, 'loads'), 'utf8').trimEnd().split('\n');
  return { loads, figures: JSON.parse(readFileSync(file, 'utf8')) };
}

test('benchmark run: each round begins with the next server', (t) => {
  const { loads, figures } = runWith(scratch(t), ['bare', 'httplib', 'beast'], ['--rounds', '4', '--seconds', '3']);
  const names = figures.results[0].rows.map(({ name }) => name);
  assert.deepEqual([...names].sort(), ['bare', 'beast', 'httplib']);
  const [a, b, c] = names;
  assert.deepEqual(
    loads.slice(3).map((line) => line.split(' ')[0]), // after those that warm up
    [a, b, c, b, c, a, c, a, b, a, b, c],
  );
  assert.ok(
    loads.slice(3).every((line) => line.endsWith(' 3s')),
    loads.join(),
  );
});

test('benchmark run: the file has the numbers of rounds and seconds', (t) => {
  const { figures } = runWith(scratch(t), ['bare'], ['--rounds', '2', '--seconds', '1', '--versions', 'of a test']);
  assert.equal(figures.rounds, 2);
  assert.equal(figures.secondsPerRound, 1);
  assert.equal(figures.versions, 'of a test');
  assert.equal(figures.results[0].rows[0].rounds.length, 2);
});

test('benchmark run: numbers of rounds and seconds are whole numbers above 0', () => {
  for (const flags of [
    ['--rounds', '0'],
    ['--rounds', 'many'],
    ['--seconds', '0.5'],
  ]) {
    const { status, stderr } = spawnSync(process.execPath, [join(here, 'run.mjs'), ...flags], { encoding: 'utf8' });
    assert.notEqual(status, 0);
    assert.ok(stderr.includes(`${flags[0]}: '${flags[1]}' is no whole number above 0`), stderr);
  }
});

/** bench_peers.sh in a checkout of its own, with no program on the path but what it needs to look at it. */
function checkout(folder) {
  const root = join(folder, 'checkout');
  mkdirSync(join(root, 'tools'), { recursive: true });
  copyFileSync(join(here, '../../../tools/bench_peers.sh'), join(root, 'tools/bench_peers.sh'));
  writeFileSync(join(root, 'figures.json'), '{}');
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...args], { cwd: root });
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '-m', 'test: begin');
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const program of ['git', 'dirname', 'realpath']) {
    const [path] = execFileSync('which', [program], { encoding: 'utf8' }).split('\n');
    writeProgram(join(bin, program), '#!/bin/sh', `exec ${path} "$@"`);
  }
  const run = (...flags) => {
    const command = [join(root, 'tools/bench_peers.sh'), folder, ...flags];
    const result = spawnSync('/bin/bash', command, { cwd: folder, env: { PATH: bin }, encoding: 'utf8' });
    assert.equal(result.status, 1, result.stderr);
    return result.stderr;
  };
  return { root, run };
}

const kLater = 'bench_peers: wrk is missing\n'; // the next that is checked

test('bench_peers: --json refuses sources that differ from their commit', (t) => {
  const folder = scratch(t);
  const { root, run } = checkout(folder);
  assert.equal(run('--json', 'figures.json'), kLater);
  writeFileSync(join(root, 'figures.json'), '{"rounds": 1}'); // of an earlier run
  assert.equal(run('--json', 'figures.json'), kLater);
  assert.match(run('--json', join(folder, 'elsewhere.json')), /differ from it:\n M figures\.json\n$/);

  writeFileSync(join(root, 'new.cpp'), '');
  const message =
    'bench_peers: --json names the commit that was measured, and these files differ from it:\n?? new.cpp\n';
  assert.equal(run('--json', 'figures.json'), message);
  assert.equal(run('--json=figures.json', '--rounds', '1'), message);
  assert.equal(run('--rounds', '1'), kLater); // nothing is kept
});

test('bench_peers: --json refuses sources that are no checkout', (t) => {
  const { root, run } = checkout(scratch(t));
  rmSync(join(root, '.git'), { recursive: true });
  assert.ok(
    run('--json', 'figures.json').endsWith(
      `bench_peers: --json needs a checkout of git, because the figures name its commit\n`,
    ),
  );
  assert.equal(run(), kLater);
});
