// Follows pages as a reader does, in an empty folder: commands.mjs PREFIX COMPILER FLAGS PAGE...
//
// Blocks whose first line names a file are written to it. Blocks of the language `console` are run
// (console.mjs). Without output, only the exit status counts. Comments above a block:
//   <!-- run: background -->     the last command keeps running; its output contains the lines
//   <!-- run: log -->            the block is further output of that command
//   <!-- run: interrupt -->      Ctrl-C ends that command before the block is run
//   <!-- hidden: COMMAND -->     is run before the block: what the reader does in an editor
//   <!-- status: NUMBER -->      exit status of the commands, 0 by default
//   <!-- tested: TEST -->        is not run here: TEST does it
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { blocksOf } from '../../tools/site/pages.mjs';
import { freePort } from '../e2e/support/server_process.mjs';
import { checkOutput, patternOf, stepsOf } from './console.mjs';

const [prefix, compiler, flags, ...pages] = process.argv.slice(2);
const patience = 1_500_000; // a build on a busy machine

const port = String(await freePort());
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'fairway-docs-')));
const environment = {
  ...process.env,
  PATH: `${prefix}/bin:${process.env.PATH}`,
  CMAKE_PREFIX_PATH: prefix,
  CXX: compiler,
  CXXFLAGS: flags,
  PORT: port,
  NO_COLOR: '1',
};
// The pages use the port 3000, and the folder /home/ann.
const here = (text) => text.replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`).replaceAll('/home/ann', scratch);

// What `fairway dev` says last about a build or a start that has failed.
const failure = /^fairway: pages of .* show the error in a browser$/m;

// A process whose output is collected. `waitFor` returns the text up to the match, and continues after it.
class Session {
  output = '';
  position = 0;
  exit = null; // the status, or the name of the signal
  #wake = () => {};

  constructor(command, options) {
    this.child = spawn('bash', command, { cwd: scratch, env: environment, ...options });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        this.output += text;
        this.#wake();
      });
    }
    this.child.on('exit', (code, signal) => {
      this.exit = code ?? signal;
      this.#wake();
    });
  }

  async waitFor(pattern) {
    const end = Date.now() + patience;
    for (;;) {
      const rest = this.output.slice(this.position);
      const match = pattern.exec(rest);
      if (match) {
        this.position += match.index + match[0].length;
        return { before: rest.slice(0, match.index), match };
      }
      if (this.exit !== null) throw new Error(`the program ended with ${this.exit}; its output:\n${rest}`);
      if (failure.test(rest)) throw new Error(`${pattern} is not in the output, but an error:\n${rest}`);
      if (Date.now() > end) throw new Error(`${pattern} is not in the output:\n${rest}`);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, 1000);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  async end(signal) {
    const end = Date.now() + patience;
    this.child.kill(signal);
    while (this.exit === null) {
      if (Date.now() > end) throw new Error(`${signal} does not end the program`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return this.exit;
  }
}

const shell = new Session(['--noprofile', '--norc'], { stdio: 'pipe' });
// Only where the output is not a terminal, curl shows its progress.
shell.child.stdin.write('curl() { command curl --silent --show-error "$@"; }\n');
let background = null;
let commands = 0;

async function run(command) {
  const marker = `marker-${++commands}`;
  shell.child.stdin.write(`{ ${command}\n} 2>&1 </dev/null; printf '\\n${marker} %s %s\\n' "$?" "$PWD"\n`);
  const { before, match } = await shell.waitFor(new RegExp(`\n${marker} (\\d+) (.*)\n`));
  return { output: before, status: Number(match[1]), folder: match[2] };
}

async function follow(expected) {
  for (const line of expected) {
    if (line !== '…') {
      const parts = patternOf(here(line)).split(/ ?<(?:id|time)>/);
      await background.waitFor(new RegExp(`^${parts.join('.*')}$`, 'm'));
    }
  }
}

async function interrupt() {
  const status = await background.end('SIGINT');
  background = null;
  if (status !== 0) throw new Error(`after Ctrl-C, the exit status is ${status}`);
}

let folder = scratch;
async function runBlock(block) {
  const { directives } = block;
  if (directives.run === 'interrupt') await interrupt();
  if (directives.hidden) {
    const { status, output } = await run(directives.hidden);
    if (status !== 0) throw new Error(output);
  }
  if (block.file) {
    const path = join(folder, block.file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, here(block.lines.join('\n')) + '\n');
  } else if (directives.run === 'log') {
    await follow(block.lines);
  } else {
    const steps = stepsOf(block.lines);
    for (const [index, { command, expected }] of steps.entries()) {
      console.log(`$ ${command}`);
      if (directives.run === 'background' && index === steps.length - 1) {
        background = new Session(['-c', `exec ${here(command)}`], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
        await follow(expected);
        continue;
      }
      const result = await run(here(command));
      folder = result.folder;
      if (result.status !== Number(directives.status ?? 0)) {
        throw new Error(`exit status ${result.status}:\n${result.output}`);
      }
      if (expected.length > 0) checkOutput(expected.map(here), result.output);
    }
  }
}

let failed = false;
try {
  for (const page of pages) {
    for (const block of blocksOf(page)) {
      if ((block.language !== 'console' && !block.file) || block.directives.tested) continue;
      try {
        await runBlock(block);
      } catch (error) {
        throw new Error(`${page}:${block.line}: ${error.message}`);
      }
    }
    if (background) await interrupt();
    console.log(`${basename(page)}: followed`);
  }
  console.log(`${commands} commands were run`);
} catch (error) {
  console.error(error.message);
  failed = true;
} finally {
  for (const session of [background, shell]) session?.child.kill('SIGKILL');
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
