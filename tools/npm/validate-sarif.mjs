// Validates SARIF logs with the 2.1.0 schema, and what no schema can say: that rules are found by
// their index and that regions lie within their files. Usage: node validate-sarif.mjs FILE...
// Prints each error; exit status 1 when there is one.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const schema = JSON.parse(
  readFileSync(
    new URL('node_modules/@microsoft/sarif-multitool-ts/assets/sarif-2.1.0.schema.json', import.meta.url),
    'utf8',
  ),
);
const ajv = new Ajv({ allErrors: true, strict: false });
addFormats(ajv);
const isValid = ajv.compile(schema);

let errors = 0;
function report(file, text) {
  errors += 1;
  console.error(`${file}: ${text}`);
}

function checkRegion(file, run, location, region) {
  const base = location.uriBaseId ? run.originalUriBaseIds[location.uriBaseId]?.uri : undefined;
  if (location.uriBaseId && !base) return report(file, `no base for '${location.uriBaseId}'`);
  const text = readFileSync(fileURLToPath(new URL(location.uri, base)), 'utf8');
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (const [line, column] of [
    [region.startLine, region.startColumn],
    [region.endLine, region.endColumn],
  ]) {
    // JavaScript counts in UTF-16 code units, as the logs do.
    if (column < 1 || column > (lines[line - 1] ?? '').length + 1) {
      report(file, `${location.uri}:${line} has no column ${column}`);
    }
  }
}

for (const file of process.argv.slice(2)) {
  const log = JSON.parse(readFileSync(file, 'utf8'));
  if (!isValid(log)) report(file, JSON.stringify(isValid.errors, null, 2));
  for (const run of log.runs ?? []) {
    if (run.columnKind !== 'utf16CodeUnits') report(file, `columnKind is ${run.columnKind}`);
    for (const result of run.results) {
      if (run.tool.driver.rules[result.ruleIndex]?.id !== result.ruleId) {
        report(file, `rule ${result.ruleIndex} is not '${result.ruleId}'`);
      }
      for (const { physicalLocation } of [...result.locations, ...(result.relatedLocations ?? [])]) {
        if (physicalLocation?.region) {
          checkRegion(file, run, physicalLocation.artifactLocation, physicalLocation.region);
        }
      }
      for (const change of (result.fixes ?? []).flatMap((fix) => fix.artifactChanges)) {
        for (const { deletedRegion } of change.replacements) {
          checkRegion(file, run, change.artifactLocation, deletedRegion);
        }
      }
    }
  }
}

if (process.argv.length < 3) {
  console.error('usage: node validate-sarif.mjs FILE...');
  process.exit(2);
}
process.exit(errors === 0 ? 0 : 1);
