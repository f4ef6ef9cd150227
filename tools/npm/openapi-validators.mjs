// The validators and linters of OpenAPI documents, each as a function that returns its errors.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import SwaggerParser from '@apidevtools/swagger-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import spectralCore from '@stoplight/spectral-core';
import spectralParsers from '@stoplight/spectral-parsers';
import spectralRulesets from '@stoplight/spectral-rulesets';

const require = createRequire(import.meta.url);
const { createConfig, lintFromString } = require('@redocly/openapi-core');
const { Spectral, Document } = spectralCore;

const redoclyConfig = await createConfig({ extends: ['recommended'] });
const spectral = new Spectral();
spectral.setRuleset({ extends: [[spectralRulesets.oas, 'recommended']] });

const seriousme = async (text) => {
  const result = await new Validator().validate(JSON.parse(text));
  return result.valid ? [] : [JSON.stringify(result.errors)];
};

const swaggerParser = async (text) => {
  try {
    await SwaggerParser.validate(JSON.parse(text));
    return [];
  } catch (error) {
    return [error.message];
  }
};

const redocly = async (text, file) => {
  const problems = await lintFromString({ source: text, absoluteRef: file, config: redoclyConfig });
  return problems
    .filter((problem) => problem.severity === 'error')
    .map((problem) => `${problem.ruleId}: ${problem.message} at ${problem.location?.[0]?.pointer}`);
};

const kSpectralError = 0;
const spectralOas = async (text, file) => {
  let results;
  try {
    results = await spectral.run(new Document(text, spectralParsers.Json, file));
  } catch (error) {
    return (error.errors ?? [error]).map((error) => `threw: ${(error.cause ?? error).cause ?? error}`);
  }
  return results
    .filter((result) => result.severity === kSpectralError)
    .map((result) => `${result.code}: ${result.message} at ${result.path.join('/')}`);
};

const validators = {
  'openapi-schema-validator': seriousme,
  'swagger-parser': swaggerParser,
  'redocly lint': redocly,
  'spectral oas': spectralOas,
};

// The others do not know 3.2 in the versions that are installed.
const validatorsOf32 = { 'openapi-schema-validator': seriousme };

/** All errors of a JSON document, as texts that begin with the validator's name. */
export async function errorsOf(file) {
  const text = fs.readFileSync(file, 'utf8');
  const errors = [];
  const is32 = JSON.parse(text).openapi?.startsWith('3.2');
  for (const [name, validate] of Object.entries(is32 ? validatorsOf32 : validators)) {
    for (const error of await validate(text, file)) errors.push(`${name}: ${error}`);
  }
  return errors;
}
