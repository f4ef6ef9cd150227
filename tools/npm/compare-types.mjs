// Judges the results of random_types by ajv and the emitted schemas: node compare-types.mjs DOCUMENT
// BODIES RESULTS [COUNT]. What ajv accepts must have been read, and nothing else, apart from what
// docs/formats.md and docs/types.md explain. COUNT: how many bodies of each kind are expected.
import fs from 'node:fs';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const [documentFile, bodiesFile, resultsFile, expected = '100'] = process.argv.slice(2);
const document = JSON.parse(fs.readFileSync(documentFile, 'utf8'));
const schemas = document.components?.schemas ?? {};
const ajv = new Ajv.default({ strict: false, strictNumbers: true, validateSchema: false });
addFormats.default(ajv);
const compile = (schema) => ajv.compile({ allOf: [schema], components: { schemas } });
const validatorsOfSchemas = new Map();
function compiled(schema) {
  if (!validatorsOfSchemas.has(schema)) validatorsOfSchemas.set(schema, compile(schema));
  return validatorsOfSchemas.get(schema);
}
const resolve = (schema) => (schema.$ref === undefined ? schema : schemas[schema.$ref.split('/').at(-1)]);

const validators = new Map();
for (const [route, { post }] of Object.entries(document.paths)) {
  const input = post.requestBody.content['application/json'].schema;
  const envelope = post.responses['200'].content['application/json'].schema;
  const output = envelope.properties.data;
  validators.set(route, { input, output, isInput: compile(input), isOutput: compile(output) });
}

/** The conversions of strings, which the schemas do not show. Undefined: none. */
function numberOf(text) {
  const trimmed = text.replace(/^[ \t-\r]+|[ \t-\r]+$/g, '');
  if (/^0[xX][0-9a-fA-F]+$/.test(trimmed)) return Number(trimmed);
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(trimmed)) return Number(trimmed);
  return undefined;
}
function booleanOf(text) {
  const trimmed = text.replace(/^[ \t-\r]+|[ \t-\r]+$/g, '').toLowerCase();
  return trimmed === 'true' ? true : trimmed === 'false' ? false : undefined;
}

/** The JSON types that a schema allows; null: any. */
function typesOf(given) {
  const schema = resolve(given);
  if (schema.oneOf !== undefined) return schema.oneOf.flatMap(typesOf);
  return [schema.type ?? null];
}

function converted(value, given) {
  const schema = resolve(given);
  if (schema.oneOf !== undefined) {
    const discriminator = schema.discriminator?.propertyName;
    const of = (alternative) => resolve(alternative).properties?.[discriminator];
    const fits = (alternative) => {
      if (discriminator !== undefined) return resolve(of(alternative)).enum.includes(value?.[discriminator]);
      const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
      return typesOf(alternative).some(
        (each) => each === null || each === type || (each === 'integer' && type === 'number'),
      );
    };
    const selected = schema.oneOf.find(fits);
    if (selected !== undefined) return converted(value, selected);
    if (typeof value !== 'string') return value;
    for (const alternative of schema.oneOf) {
      const result = converted(value, alternative);
      if (result !== value) return result;
    }
    return value;
  }
  if (typeof value === 'string') {
    if (schema.type === 'number' || schema.type === 'integer') return numberOf(value) ?? value;
    return schema.type === 'boolean' ? (booleanOf(value) ?? value) : value;
  }
  if (Array.isArray(value))
    return schema.items === undefined ? value : value.map((item) => converted(item, schema.items));
  if (value === null || typeof value !== 'object' || schema.type !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const own = schema.properties?.[name] ?? schema.additionalProperties;
      return [name, own === undefined || typeof own === 'boolean' ? member : converted(member, own)];
    }),
  );
}

/** The value with the items of sets in order: the items of a std::unordered_set have none. */
function ordered(value, given) {
  const schema = resolve(given);
  if (schema.oneOf !== undefined) {
    const selected = schema.oneOf.find((alternative) => compiled(alternative)(value));
    return selected === undefined ? value : ordered(value, selected);
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => (schema.items === undefined ? item : ordered(item, schema.items)));
    return schema.uniqueItems ? items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
  }
  if (value === null || typeof value !== 'object' || schema.type !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const own = schema.properties?.[name] ?? schema.additionalProperties;
      return [name, own === undefined || typeof own === 'boolean' ? member : ordered(member, own)];
    }),
  );
}

function stringsOf(value) {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(stringsOf) : [];
}
function numbersOf(value) {
  if (typeof value === 'number') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(numbersOf) : [];
}
function depthOf(value) {
  let depth = 0;
  for (let level = [value]; level.length > 0; ++depth) {
    level = level.filter((each) => each !== null && typeof each === 'object').flatMap((each) => Object.values(each));
  }
  return depth;
}

/** Why a body that ajv accepts may be rejected. */
function reason(text, body, result) {
  if (/\\u[dD][89a-fA-F]/.test(text)) return 'half of a surrogate pair';
  // JSON.parse reads 1e400 as infinity, which ajv allows where a schema allows any value.
  if (result.status === 400 && !numbersOf(body).every(Number.isFinite)) return 'outside the range of double';
  const message = JSON.stringify(result.errors);
  if (/is outside the range of its type/.test(message)) return 'outside the range of its C++ type';
  if (/must be an integer from (-9223372036854775808|0) to/.test(message))
    return 'outside the range of 64-bit integers';
  // The expression of ajv-formats allows any characters in a port.
  const isNoUrl = (each) => /^https?:/i.test(each) && !URL.canParse(each);
  if (/must be an absolute http or https URL/.test(message) && stringsOf(body).some(isNoUrl))
    return 'no URL for the parser of browsers';
  // ajv-formats allows '+0200' and '+02', which RFC 3339 does not.
  const hasBareOffset = (each) => /:\d\d(\.\d+)?[+-]\d\d(\d\d)?$/.test(each);
  if (/must be a (date and )?time/.test(message) && stringsOf(body).some(hasBareOffset))
    return 'an offset without a colon';
  if (depthOf(body) > 500) return 'nested too deep';
  return undefined;
}

const bodies = fs.readFileSync(bodiesFile, 'utf8').trimEnd().split('\n');
const results = fs.readFileSync(resultsFile, 'utf8').trimEnd().split('\n');
const counts = { accepted: 0, rejected: 0, 'no JSON': 0, converted: 0, different: 0 };
const explained = {};
function report(what, text, result, route) {
  counts.different += 1;
  console.error(
    `${what}\n  body ${text.slice(0, 2000)}\n  result ${JSON.stringify(result).slice(0, 2000)}\n  route ${route}`,
  );
}
if (bodies.length !== results.length) report('another number of results', '', results.length, '');
bodies.forEach((line, index) => {
  const { route, text } = JSON.parse(line);
  const result = JSON.parse(results[index]);
  const isRead = result.status === 200;
  let body;
  try {
    // A byte order mark is skipped (RFC 8259, 8.1).
    body = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    counts['no JSON'] += 1;
    // An empty body is one that is absent.
    const expected = text === '' ? [422] : [400, 413];
    if (!expected.includes(result.status)) report('no JSON, but another status', text, result, route);
    return;
  }
  counts[isRead ? 'accepted' : 'rejected'] += 1;
  const { input, output, isInput, isOutput } = validators.get(route);
  const isValid = isInput(converted(body, input));
  const errors = ajv.errorsText(isInput.errors);
  if (isValid && !isInput(body)) counts.converted += 1;
  if (isRead && !isOutput(result.data)) {
    report(`a response that its schema does not allow: ${ajv.errorsText(isOutput.errors)}`, text, result, route);
  }
  if (isRead) {
    const [once, twice] = [result, result.again].map((each) => JSON.stringify(ordered(each.data, output)));
    if (once !== twice) report('a response is read as another value', text, result, route);
  }
  if (isRead === isValid) return;
  const why = isValid ? reason(text, body, result) : undefined;
  if (why === undefined)
    report(isValid ? 'rejected, but ajv accepts it' : `accepted, but ajv: ${errors}`, text, result, route);
  else explained[why] = (explained[why] ?? 0) + 1;
});
console.log(
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', '),
);
for (const [why, count] of Object.entries(explained)) console.log(`${count} rejected: ${why}`);
// If all results were equal, the test would show nothing.
const isTelling = Math.min(counts.accepted, counts.rejected) >= Number(expected);
if (!isTelling) console.error('too few bodies of one kind');
process.exit(counts.different === 0 && isTelling ? 0 : 1);
