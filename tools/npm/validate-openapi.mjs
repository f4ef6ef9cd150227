// Validates OpenAPI documents with every validator of this folder: node validate-openapi.mjs PATH...
// PATH is a document in JSON, or a folder of them; a YAML file beside a JSON file must say the same.
// Prints each error; exit status 1 when there is one.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import jsYaml from 'js-yaml';
import yaml from 'yaml';
import { documentFiles, report } from './document-files.mjs';
import { errorsOf } from './openapi-validators.mjs';

/** Errors of a YAML file that stands for a JSON file, as two readers of YAML see it. */
function yamlErrors(file, document) {
  const text = fs.readFileSync(file, 'utf8');
  const readers = {
    'yaml 1.2': () => yaml.parse(text),
    'yaml 1.1': () => yaml.parse(text, { version: '1.1' }),
    'js-yaml': () => jsYaml.load(text),
  };
  return Object.entries(readers).flatMap(([name, read]) => {
    try {
      assert.deepEqual(read(), document);
      return [];
    } catch (error) {
      return [`${name}: ${error.message}`];
    }
  });
}

await report(documentFiles('validate-openapi.mjs'), async (file) => {
  const found = await errorsOf(path.resolve(file));
  const twin = file.replace(/\.json$/, '.yaml');
  if (fs.existsSync(twin)) {
    found.push(...yamlErrors(twin, JSON.parse(fs.readFileSync(file, 'utf8'))));
  }
  return found;
});
