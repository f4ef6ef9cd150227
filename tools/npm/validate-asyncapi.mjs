// Validates AsyncAPI documents with the parser of the AsyncAPI Initiative:
// node validate-asyncapi.mjs PATH... PATH is a document in JSON, or a folder of them. Prints each
// error; exit status 1 when there is one, or no document.
import fs from 'node:fs';
import { DiagnosticSeverity, Parser } from '@asyncapi/parser';
import { documentFiles, report } from './document-files.mjs';

const parser = new Parser();
await report(documentFiles('validate-asyncapi.mjs'), async (file) => {
  const { document, diagnostics } = await parser.parse(fs.readFileSync(file, 'utf8'));
  const found = diagnostics
    .filter(({ severity }) => severity === DiagnosticSeverity.Error)
    .map(({ code, message, path: at }) => `${code}: ${message} at ${at.join('/')}`);
  if (document === undefined && found.length === 0) found.push('it is no document');
  return found;
});
