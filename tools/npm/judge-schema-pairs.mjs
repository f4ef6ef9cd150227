// Judges `fairway diff` by ajv: node judge-schema-pairs.mjs FILE, written by generate_schema_pairs.
//
// A value that the old schema accepts and the new one rejects breaks requests; the reverse breaks
// responses. Each must have been reported as breaking, with what docs/contract-changes.md says of
// members that are not declared: clients do not send them, and ignore them.
import fs from 'node:fs';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const kSameValue = new Set(['then', 'else']);
const kLists = new Set(['anyOf', 'oneOf', 'allOf']);
const kMembers = new Set(['properties', 'patternProperties']);

const asWritten = (value) =>
  JSON.parse(JSON.stringify(value).replaceAll('#/components/schemas/', '#/components/plain/schemas/'));

// `change` edits the copy of a schema, `wrap` the copy of a schema of a member or an item. What lies
// below `not`, `if`, `contains` and `propertyNames` stays: there, less allows more.
function transformed(schema, change, wrap) {
  if (typeof schema !== 'object') return schema;
  const inner = (child) => transformed(child, change, wrap);
  const result = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (kLists.has(keyword)) result[keyword] = value.map(inner);
    else if (kSameValue.has(keyword)) result[keyword] = inner(value);
    else if (keyword === 'prefixItems') result[keyword] = value.map((child) => wrap(inner(child)));
    else if (keyword === 'items' || keyword === 'additionalProperties') result[keyword] = wrap(inner(value));
    else if (kMembers.has(keyword)) {
      result[keyword] = Object.fromEntries(Object.entries(value).map(([name, child]) => [name, wrap(inner(child))]));
    } else if (keyword === 'dependentSchemas') {
      result[keyword] = Object.fromEntries(Object.entries(value).map(([name, child]) => [name, inner(child)]));
    } else if (keyword === '$ref') result[keyword] = value;
    else result[keyword] = asWritten(value);
  }
  return change(result);
}

const same = (schema) => schema;
const closed = (schema) => (typeof schema === 'object' ? { allOf: [schema], unevaluatedProperties: false } : schema);
const opened = (schema) => {
  for (const keyword of ['additionalProperties', 'unevaluatedProperties']) {
    if (schema[keyword] === false) delete schema[keyword];
  }
  return schema;
};

function validator(schemas, change = same, wrap = same) {
  const ajv = new Ajv.default({ strict: false, validateSchema: false });
  addFormats.default(ajv);
  const components = { schemas: {}, plain: { schemas: asWritten(schemas) } };
  for (const [name, schema] of Object.entries(schemas)) {
    components.schemas[name] = transformed(schema, change, wrap);
  }
  return ajv.compile({ ...wrap({ $ref: '#/components/schemas/Root' }), components });
}

// Contract tests do not know "unevaluated…"; ajv lets empty arrays pass `contains` in some schemas.
const isNotComparable = (schemas, value) =>
  schemas.includes('"unevaluated') || (schemas.includes('"contains"') && JSON.stringify(value).includes('[]'));

const counts = { pairs: 0, values: 0, breaking: 0, shown: 0, disagreements: 0, mismatches: 0 };
const witnesses = { request: 0, response: 0 };
for (const text of fs.readFileSync(process.argv[2], 'utf8').trim().split('\n')) {
  const pair = JSON.parse(text);
  counts.pairs += 1;
  const before = validator(pair.before);
  const after = validator(pair.after);
  const found = { request: [], response: [] };
  for (const [index, value] of pair.values.entries()) {
    counts.values += 1;
    const was = before(value);
    const is = after(value);
    for (const [schemas, judgement, matches] of [
      [pair.before, was, pair.matches[0]?.[index]],
      [pair.after, is, pair.matches[1]?.[index]],
    ]) {
      if (matches === undefined) continue;
      if (judgement === matches || isNotComparable(JSON.stringify(schemas), value)) continue;
      counts.mismatches += 1;
      console.error(`seed ${pair.seed}: contract tests say ${matches}, ajv ${judgement}`);
      console.error(`  schemas ${JSON.stringify(schemas)}\n  value ${JSON.stringify(value)}`);
    }
    if (was && !is) found.request.push(value);
    if (!was && is) found.response.push(value);
  }
  for (const direction of ['request', 'response']) {
    if (pair[`${direction}_breaks`]) {
      counts.breaking += 1;
      if (found[direction].length > 0) counts.shown += 1;
      continue;
    }
    if (found[direction].length === 0) continue;
    const judge = direction === 'request' ? validator(pair.before, same, closed) : validator(pair.before, opened);
    const value = found[direction].find((value) => judge(value) === (direction === 'request'));
    if (value === undefined) continue;
    counts.disagreements += 1;
    console.error(`seed ${pair.seed}: ${direction}s break, and that is not reported`);
    for (const name of ['before', 'after', 'changes']) {
      console.error(`  ${name} ${JSON.stringify(pair[name])}`);
    }
    console.error(`  value ${JSON.stringify(value)}`);
  }
}
console.log(
  `${counts.pairs} pairs of schemas, ${counts.values} values, ${counts.breaking} comparisons with breaking ` +
    `changes (${counts.shown} shown by a value), ${counts.disagreements} disagreements`,
);
// A test that never sees a value of either kind would show nothing.
const isTelling = counts.shown >= counts.pairs / 4;
if (!isTelling) console.error('too few comparisons are shown to be breaking');
process.exit(counts.disagreements === 0 && counts.mismatches === 0 && isTelling ? 0 : 1);
