// Validates the bodies of generate_validations with ajv and compares the results: node compare-validations.mjs FILE
import fs from 'node:fs';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

const ajv = new Ajv.default({ strict: false });
addFormats.default(ajv);

const counts = { valid: 0, invalid: 0, different: 0 };
for (const line of fs.readFileSync(process.argv[2], 'utf8').trim().split('\n')) {
  const { schema, bodies, valid } = JSON.parse(line);
  const validate = ajv.compile(schema);
  bodies.forEach((body, index) => {
    const result = validate(body);
    counts[valid[index] ? 'valid' : 'invalid'] += 1;
    if (result === valid[index]) return;
    counts.different += 1;
    const reason = result ? 'rejected by the runtime' : `ajv: ${ajv.errorsText(validate.errors)}`;
    console.error(`${reason}\n  body ${JSON.stringify(body)}\n  schema ${JSON.stringify(schema)}`);
  });
}
console.log(`${counts.valid} valid and ${counts.invalid} invalid bodies, ${counts.different} with different results`);
// If all results were equal, the test would show nothing.
const isTelling = counts.valid >= 1000 && counts.invalid >= 1000;
if (!isTelling) console.error('too few bodies of one kind');
process.exit(counts.different === 0 && isTelling ? 0 : 1);
