// Writes bodies for the routes of a document, valid, nearly valid and hostile, as JSON lines
// {"route", "text"}: node generate_bodies.mjs DOCUMENT FILE SEED COUNT.
import fs from 'node:fs';
import { Random } from './random.mjs';
import { stringFormats } from './string_formats.mjs';

const [documentFile, bodiesFile, seed, count] = process.argv.slice(2);
const document = JSON.parse(fs.readFileSync(documentFile, 'utf8'));
const random = new Random(Number(seed));

// The first two of each are valid. A format without a row has its example.
const formats = {
  ...Object.fromEntries(
    stringFormats
      .filter(({ format }) => format !== '')
      .map(({ format, example }) => [format, [example, example, `${example}~`, `~${example}`, '']]),
  ),
  email: ['ann@example.com', 'a.b+c@mail.example.org', 'ann@', '@example.com', ''],
  uri: ['https://example.com', 'http://a.example:8080/a?b=c#d', 'https://', 'ftp://example.com', 'example.com'],
  date: ['2024-02-29', '1970-01-01', '0000-01-01', '9999-12-31', '2023-02-29', '2024-13-01', '2024-1-1', '20240101'],
  'date-time': [
    '2024-01-31T10:20:30Z',
    '2024-01-31T10:20:30.125+02:00',
    '1970-01-01T00:00:00Z',
    '2024-01-31T10:20:30',
    '2024-01-31T25:20:30Z',
    '2024-01-31',
    '1600-01-01T00:00:00Z',
    '2300-01-01T00:00:00-05:00',
  ],
  uuid: [
    '550e8400-e29b-41d4-a716-446655440000',
    '550E8400-E29B-41D4-A716-446655440000',
    '550e8400e29b41d4a716446655440000',
  ],
  ipv4: ['192.0.2.1', '256.0.0.1', '192.0.2', '192.0.2.01'],
  ipv6: ['2001:db8::1', '::', '::ffff:192.0.2.1', '2001:db8::1::2', '12345::'],
  hostname: ['host', 'a.b-c.example', '-a.example', 'a-.example', 'a_b.example'],
};
const numbersAsText = [
  '5',
  ' 7 ',
  '+3',
  '-0',
  '0x1F',
  '0X1f',
  '1e2',
  '5.0',
  '5.5',
  '.5',
  '5.',
  '',
  ' ',
  '1_0',
  'x',
  'NaN',
  'Infinity',
  '-0x1',
  '007',
  '1e400',
];
const booleansAsText = ['true', 'FALSE', ' True ', '1', 'yes', ''];
const letters = ['a', 'b', 'c', 'Z', ' ', 'é', '✈', '𝄞', '\u0301', '\n', '"', '\\', '/', '\u0000', '\u007f'];

const resolve = (schema) =>
  schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1)];

function text(size) {
  let result = '';
  for (let i = 0; i < size; ++i) result += random.pick(letters);
  return result;
}

function sizeWithin(least, most) {
  const sizes = [least, least, least + 1, most ?? least + 2, most ?? least + 3];
  return random.chance(4)
    ? random.pick([Math.max(0, least - 1), (most ?? 3) + 1])
    : Math.min(random.pick(sizes), most ?? 1000);
}

function anything(depth) {
  switch (random.below(depth > 2 ? 6 : 8)) {
    case 0:
      return null;
    case 1:
      return random.chance(50);
    case 2:
      return random.pick([0, 1, -1, 7, 300, 0.25, 1e300, -129, 256, 70000, 4294967296, 9007199254740991]);
    case 3:
      return text(random.below(4));
    case 4:
      return random.pick(Object.values(formats).flat());
    case 5:
      return random.pick([...numbersAsText, ...booleansAsText, 'card', 'low', 'A', 'x']);
    case 6:
      return Array.from({ length: random.below(3) }, () => anything(depth + 1));
    default:
      return { [text(1)]: anything(depth + 1) };
  }
}

function number(schema) {
  const isWhole = schema.type === 'integer';
  if (random.chance(5)) return random.pick(numbersAsText);
  const numbers = [0, 1, 5, -1, 7, 100, 1000000007, -9007199254740991];
  for (const bound of [schema.minimum, schema.maximum]) {
    if (bound !== undefined) numbers.push(bound, bound, bound, bound - 1, bound + 1);
  }
  if (!isWhole) numbers.push(0.5, -2.25, 0.1, 1e-7, 123456.789);
  const fitting = numbers.filter(
    (each) => each >= (schema.minimum ?? -Infinity) && each <= (schema.maximum ?? Infinity),
  );
  return random.chance(94) && fitting.length > 0 ? random.pick(fitting) : random.pick(numbers);
}

function value(given, depth) {
  const schema = resolve(given);
  if (random.chance(2)) return anything(depth);
  if (schema.oneOf !== undefined) return value(random.pick(schema.oneOf), depth);
  if (schema.enum !== undefined) return random.chance(96) ? random.pick(schema.enum) : text(2);
  switch (schema.type) {
    case 'null':
      return null;
    case 'boolean':
      return random.chance(96) ? random.chance(50) : random.pick(booleansAsText);
    case 'integer':
    case 'number':
      return number(schema);
    case 'string': {
      if (schema.format !== undefined) {
        const values = formats[schema.format] ?? ['x'];
        return random.chance(85) ? values[random.below(2)] : random.pick(values);
      }
      if (schema.pattern !== undefined && schema.pattern.length < 20)
        return random.pick(['abc', 'a', 'ab', 'bca', 'abcd', 'x1']);
      if (schema.pattern !== undefined) return random.pick(['10:20:30Z', '10:20:30.5+01:00', '10:20:30', '24:00:00Z']);
      return text(sizeWithin(schema.minLength ?? 0, schema.maxLength));
    }
    case 'array': {
      const items = [];
      const size = depth > 5 ? (schema.minItems ?? 0) : sizeWithin(schema.minItems ?? 0, schema.maxItems);
      for (let i = 0; i < size; ++i)
        items.push(schema.items === undefined ? anything(depth) : value(schema.items, depth + 1));
      if (!schema.uniqueItems) return items;
      const seen = new Set();
      return items.filter(
        (each) => random.chance(3) || (!seen.has(JSON.stringify(each)) && seen.add(JSON.stringify(each))),
      );
    }
    case 'object': {
      const result = {};
      const required = new Set(schema.required ?? []);
      for (const [name, member] of Object.entries(schema.properties ?? {})) {
        const isLeftOut = random.chance(required.has(name) ? 1 : depth > 4 ? 95 : 40);
        if (!isLeftOut) result[name] = value(member, depth + 1);
      }
      if (typeof schema.additionalProperties === 'object') {
        const size = depth > 4 ? 0 : random.below(3);
        for (let i = 0; i < size; ++i)
          result[text(1 + random.below(3))] = value(schema.additionalProperties, depth + 1);
      } else if (random.chance(4)) {
        result[random.pick(['unknown', '', 'é'])] = anything(depth);
      }
      return result;
    }
    default:
      return anything(depth);
  }
}

/** JSON text in another form than JSON.stringify writes. */
function written(body) {
  let result = JSON.stringify(body);
  if (random.chance(10)) result = JSON.stringify(body, null, random.pick([1, '\t']));
  if (random.chance(5)) result = result.replaceAll('e', () => (random.chance(20) ? '\\u0065' : 'e'));
  if (random.chance(5))
    result = result.replace(
      /([[:,])(\d+)([,}\]])/g,
      (_, before, digits, after) =>
        before + random.pick([digits, `${digits}.0`, `${digits}e0`, `-${digits}`, `${digits}00E-2`]) + after,
    );
  if (random.chance(5)) result = ` ${result}\r\n`;
  return result;
}

/** JSON text with an error, or something that looks like one. */
function hostile(body) {
  const result = written(body);
  const at = random.below(result.length + 1);
  switch (random.below(9)) {
    case 0:
      return result.slice(0, at);
    case 1:
      return result.slice(0, at) + result.slice(at + 1);
    case 2:
      return (
        result.slice(0, at) +
        random.pick([...'{}[]",:\\0-.eEtfn', '\u0000', ' ', '\u00a0', '//', '\\u', '\\ud800', '\ufeff']) +
        result.slice(at)
      );
    case 3:
      return result.replace(/"([^"\\]*)":/, (whole) => `${whole}null,${whole}`); // a member twice
    case 4:
      return result.replace(/\d+/, () =>
        random.pick([
          '1e999',
          '-1e999',
          '1e-999',
          '9223372036854775807',
          '9223372036854775808',
          '-9223372036854775809',
          '18446744073709551615',
          '00',
          '1.',
          '123456789012345678901234567890',
          '0.1e1',
          '-0',
          '-0.0',
          '4e1',
        ]),
      );
    case 5:
      return result.replace(/true|false|null/, () => random.pick(['True', 'nul', 'undefined', 'NaN', '"null"']));
    case 6:
      return random.pick(['[', '{"a":']).repeat(random.pick([3, 600, 5000]));
    case 7: {
      const depth = random.pick([20, 300, 511, 600]);
      return result.replace(/null|\[\]|\{\}|"[^"\\]*"(?=[,}\]])/, () => '['.repeat(depth) + ']'.repeat(depth));
    }
    default:
      return result + random.pick([',', '}', ' x', '{}', '\u0000']);
  }
}

const routes = Object.entries(document.paths)
  .filter(([, item]) => item.post?.requestBody !== undefined)
  .map(([route, item]) => [route, item.post.requestBody.content['application/json'].schema]);
const file = fs.createWriteStream(bodiesFile);
for (let i = 0; i < Number(count); ++i) {
  const [route, schema] = routes[i % routes.length];
  const body = value(schema, 0);
  // Requests are bytes of UTF-8, which has no halves of surrogate pairs.
  const text = (random.chance(20) ? hostile(body) : written(body)).toWellFormed();
  file.write(`${JSON.stringify({ route, text })}\n`);
}
file.end();
