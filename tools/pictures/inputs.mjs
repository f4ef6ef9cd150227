// What the pictures of docs/pictures show that no test makes: inputs.mjs FAIRWAY BUILD [--write].
// For each, inputs.json has the digests of the files and of what the programs say; without --write, an input that is not
// the recorded one is an error.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { LspClient, OpenDocument } from '../../tests/e2e/lsp/client.mjs';
import { startOrders } from '../../tests/e2e/support/orders_sample.mjs';

const [fairway, build] = process.argv.slice(2, 4).map((path) => realpathSync(path));
const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const recorded = join(here, 'inputs.json');
const scratch = mkdtempSync(join(tmpdir(), 'fairway-pictures-'));

const digest = (data) => createHash('sha256').update(data).digest('hex').slice(0, 16);
const files = (...names) => Object.fromEntries(names.map((name) => [name, digest(readFileSync(join(root, name)))]));
const headers = ['--', '-std=c++20', `-I${join(root, 'runtime/include')}`];

/** The diagnostics of a source directory, without its place. */
function diagnosticsOf(folder) {
  const options = ['doctor', '--no-config', '--format', 'json', '--cache-dir', join(scratch, 'cache')];
  const { stdout, stderr } = spawnSync(fairway, [...options, '--source-dir', folder, ...headers], { encoding: 'utf8' });
  if (!stdout.includes('"error"')) throw new Error(`fairway doctor: ${stdout}${stderr}`);
  return stdout.replaceAll(folder, '');
}

/** The types that complete `i` where the editor of screen.sh has its cursor. */
async function completions() {
  const folder = join(here, 'src');
  const command = [
    fairway,
    'lsp',
    '--no-config',
    '--cache-dir',
    join(scratch, 'cache'),
    '--source-dir',
    folder,
    ...headers,
  ];
  const client = new LspClient(command, here);
  const name = join(folder, 'routes/orders.cpp');
  const uri = pathToFileURL(name).href;
  await client.start(pathToFileURL(here).href);
  const document = new OpenDocument(client, uri, readFileSync(name, 'utf8').replace('integr:', 'i:'));
  const { result } = await client.request('textDocument/completion', {
    textDocument: { uri },
    position: document.at('Field<"i'),
  });
  await client.stop();
  const items = (result.items ?? result).map(({ label, detail, filterText }) => [filterText ?? label, label, detail]);
  const shown = items.filter(([text]) => text.startsWith('i'));
  if (shown.length === 0) throw new Error('the language server completes nothing');
  return JSON.stringify(shown);
}

/** The page of the viewer, whose links have the digests of its files, and the document. */
async function viewer() {
  const program = join(build, 'samples/orders/orders');
  const sample = await startOrders(program, join(root, 'samples/orders'), ['--config', 'development']);
  try {
    const get = async (path) => {
      const response = await fetch(sample.url + path);
      if (!response.ok) throw new Error(`${path}: status ${response.status}`);
      return digest(await response.text());
    };
    return { 'GET /docs': await get('/docs'), 'GET /openapi.json': await get('/openapi.json') };
  } finally {
    await sample.stop();
  }
}

/** What the diagnostic of a new project's misspelt type says. */
function misspelt() {
  const folder = join(scratch, 'shop');
  spawnSync(fairway, ['new', folder, '--template', 'minimal'], { stdio: ['ignore', 'ignore', 'inherit'] });
  const route = join(folder, 'src/routes/hello.cpp');
  writeFileSync(route, readFileSync(route, 'utf8').replace('"string:', '"strng:'));
  return diagnosticsOf(join(folder, 'src'));
}

async function inputs() {
  const ofViewer = await viewer();
  return {
    'editor.svg': {
      ...files('tools/pictures/editor/init.lua', 'tools/pictures/editor/screen.sh', 'tools/pictures/terminal.mjs'),
      ...files('tools/pictures/src/routes/orders.cpp'),
      'diagnostics of tools/pictures/src': digest(diagnosticsOf(join(here, 'src'))),
      'completion of a type': digest(await completions()),
    },
    'viewer.png': { ...files('tools/pictures/pages.mjs'), ...ofViewer },
    'dev.png': {
      ...files('tools/pictures/pages.mjs', 'compiler/dev/page/overlay.html'),
      'diagnostic of a misspelt type': digest(misspelt()),
    },
    'requests.png': { ...files('tools/pictures/pages.mjs', 'compiler/dev/page/requests.html'), ...ofViewer },
  };
}

try {
  const now = await inputs();
  if (process.argv.includes('--write')) {
    writeFileSync(recorded, `${JSON.stringify(now, null, 2)}\n`);
  } else {
    const then = JSON.parse(readFileSync(recorded, 'utf8'));
    for (const [picture, entries] of Object.entries(now)) {
      const names = Object.keys(entries).filter((name) => entries[name] !== then[picture]?.[name]);
      if (names.length === 0) continue;
      console.error(`docs/pictures/${picture} is older than what it shows: ${names.join(', ')}`);
      process.exitCode = 1;
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
