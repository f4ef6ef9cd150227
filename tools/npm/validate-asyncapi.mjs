// Validates AsyncAPI documents with the parser of the AsyncAPI Initiative:
// node validate-asyncapi.mjs PATH... PATH is a document in JSON, or a folder of them. Prints each
// error; exit status 1 when there is one, or no document.
import fs from 'node:fs';
import path from 'node:path';
import { DiagnosticSeverity, Parser } from '@asyncapi/parser';

const paths = process.argv.slice(2);
if (paths.length === 0) {
  console.error('usage: node validate-asyncapi.mjs FILE_OR_FOLDER...');
  process.exit(2);
}
const files = paths.flatMap((name) =>
  fs.statSync(name).isDirectory()
    ? fs
        .readdirSync(name)
        .filter((entry) => entry.endsWith('.json'))
        .sort()
        .map((entry) => path.join(name, entry))
    : [name],
);
const parser = new Parser();
let errors = 0;
for (const file of files) {
  const { document, diagnostics } = await parser.parse(fs.readFileSync(file, 'utf8'));
  const found = diagnostics
    .filter(({ severity }) => severity === DiagnosticSeverity.Error)
    .map(({ code, message, path: at }) => `${code}: ${message} at ${at.join('/')}`);
  if (document === undefined && found.length === 0) found.push('it is no document');
  for (const error of found) console.error(`${file}: ${error}`);
  errors += found.length;
}
if (files.length === 0) {
  console.error('no documents');
  process.exit(1);
}
console.log(`${files.length} documents, ${errors} errors`);
process.exit(errors === 0 ? 0 : 1);
