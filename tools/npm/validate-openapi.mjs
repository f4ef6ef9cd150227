// Validates OpenAPI documents with every validator of this folder: node validate-openapi.mjs FILE...
// Prints each fault; exit status 1 when there is one.
import { readFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';

const here = path.dirname(fileURLToPath(import.meta.url));
let faults = 0;

function report(file, validator, text) {
  faults += 1;
  console.error(`${file}: ${validator}: ${text}`);
}

for (const file of process.argv.slice(2)) {
  const document = JSON.parse(await readFile(file, 'utf8'));

  const result = await new Validator().validate(structuredClone(document));
  if (!result.valid) report(file, 'openapi-schema-validator', JSON.stringify(result.errors, null, 2));

  try {
    await SwaggerParser.validate(structuredClone(document));
  } catch (error) {
    report(file, 'swagger-parser', error.message);
  }

  const redocly = spawnSync(path.join(here, 'node_modules/.bin/redocly'),
    ['lint', '--extends', 'recommended', '--format', 'stylish', file],
    { encoding: 'utf8', env: { ...process.env, REDOCLY_TELEMETRY: 'off' } });
  if (redocly.status !== 0) report(file, 'redocly lint', redocly.stdout + redocly.stderr);
}

if (process.argv.length < 3) {
  console.error('usage: node validate-openapi.mjs FILE...');
  process.exit(2);
}
process.exit(faults === 0 ? 0 : 1);
