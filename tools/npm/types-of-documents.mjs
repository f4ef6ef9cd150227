// Turns OpenAPI documents into TypeScript types and compiles them under `tsc --strict`, with a client
// of openapi-fetch that uses the types of the orders sample:
//   node types-of-documents.mjs WORK_DIR {NAME=DOCUMENT | FOLDER}... [--client FILE.ts]
// WORK_DIR/NAME.ts contains the types; the client is compiled to WORK_DIR/client.mjs. Of a
// folder, each document (.json) and each typed client (.ts) is taken.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const here = path.dirname(fileURLToPath(import.meta.url));
const [folder, ...words] = process.argv.slice(2);
const clientAt = words.indexOf('--client');
const client = clientAt < 0 ? undefined : words.splice(clientAt, 2)[1];
if (folder === undefined || words.length === 0) {
  console.error('usage: node types-of-documents.mjs WORK_DIR {NAME=DOCUMENT | FOLDER}... [--client FILE.ts]');
  process.exit(2);
}

fs.rmSync(folder, { recursive: true, force: true });
fs.mkdirSync(folder, { recursive: true });
// Where the compiled client finds openapi-fetch.
fs.symlinkSync(path.join(here, 'node_modules'), path.join(folder, 'node_modules'));
const sources = [];
const documents = [];
for (const word of words) {
  if (word.includes('=')) {
    documents.push(word.split('='));
    continue;
  }
  for (const entry of fs.readdirSync(word).sort()) {
    const file = path.join(word, entry);
    // openapi-typescript knows the versions before 3.2.
    const isKnown = entry.endsWith('.json') && !entry.endsWith('-3.2.json');
    if (isKnown) documents.push([path.basename(entry, '.json'), file]);
    if (entry.endsWith('.ts')) sources.push(file);
  }
}
for (const [name, document] of documents) {
  const file = path.join(folder, `${name}.ts`);
  const types = await openapiTS(pathToFileURL(path.resolve(document)), { silent: true });
  fs.writeFileSync(file, astToString(types));
  sources.push(file);
}
if (client !== undefined) {
  fs.copyFileSync(client, path.join(folder, 'client.mts'));
  sources.push(path.join(folder, 'client.mts'));
}

const program = ts.createProgram(sources, {
  strict: true,
  noUncheckedIndexedAccess: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  typeRoots: [path.join(here, 'node_modules/@types')],
  types: ['node'],
  skipLibCheck: true,
  noEmit: client === undefined,
});
const diagnostics = [...ts.getPreEmitDiagnostics(program), ...program.emit().diagnostics];
for (const diagnostic of diagnostics) {
  const place =
    diagnostic.file && diagnostic.start !== undefined
      ? `${diagnostic.file.fileName}:${diagnostic.file.getLineAndCharacterOfPosition(diagnostic.start).line + 1}: `
      : '';
  console.error(place + ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
}
console.log(`${documents.length} documents, ${sources.length} sources, ${diagnostics.length} errors`);
process.exit(diagnostics.length === 0 && documents.length > 0 ? 0 : 1);
