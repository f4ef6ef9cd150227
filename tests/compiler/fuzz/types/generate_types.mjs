// Writes an application whose routes take and send random types of every form in docs/types.md:
// node generate_types.mjs DIRECTORY SEED COUNT. Files are only replaced by different ones.
import fs from 'node:fs';
import path from 'node:path';
import { Random } from './random.mjs';
import { stringFormats } from './string_formats.mjs';

const [directory, seed, count] = process.argv.slice(2);
const random = new Random(Number(seed));

const integers = [
  'std::int8_t',
  'std::uint8_t',
  'std::int16_t',
  'std::uint16_t',
  'std::int32_t',
  'std::uint32_t',
  'std::int64_t',
  'std::uint64_t',
  'int',
  'unsigned',
  'long',
  'short',
];
const fields = [
  'integer',
  'integer:1-',
  'integer:-10',
  'integer:-5-5',
  'integer:0-9007199254740991',
  'number',
  'number:0-',
  'number:-1.5-2.5',
  'number:--1',
  'boolean',
  'string',
  'string:1-5',
  'string:3',
  'string:-4',
  'string:/^[a-c]+$/',
  'string:2-4/^[a-z]/',
  ...stringFormats.map(({ name }) => name),
  'enum:a,b,c',
  'enum:one',
  'any',
  'null',
  'object',
  'array',
  'array:1-2',
  'array<string>',
  'array<integer:0-9>:-3',
  'array<array<boolean>>:1-',
  'array<date>',
];
const defaults = [
  'integer:0-100=20',
  'integer=-3',
  'number=0.5',
  'boolean=true',
  'string:1-9=abc',
  'enum:x,y=y',
  'date=2024-02-29',
  'string=',
];
const scalarsOfSets = [
  'int',
  'std::string',
  'std::int64_t',
  'double',
  'fw::Field<"integer:0-5">',
  'fw::Field<"string:1-3">',
  'std::chrono::sys_days',
  'bool',
];
const times = [
  'std::chrono::sys_days',
  'std::chrono::sys_seconds',
  'std::chrono::sys_time<std::chrono::milliseconds>',
  'std::chrono::sys_time<std::chrono::nanoseconds>',
  'std::chrono::sys_time<std::chrono::minutes>',
];

let text = '';
const enums = [];
const structs = [];
const variants = [];
const templates = [];

function field() {
  return `fw::Field<"${random.pick(fields)}">`;
}

/** A type that needs no other declaration. */
function plain() {
  switch (random.below(9)) {
    case 0:
      return 'bool';
    case 1:
      return random.pick(integers);
    case 2:
      return random.pick(['float', 'double']);
    case 3:
      return 'std::string';
    case 4:
      return random.pick(times);
    case 5:
      return 'fw::Json';
    case 6:
      return `fw::Literal<"${random.pick(['card', 'a b', 'ä', '"']).replaceAll('"', '\\"')}">`;
    default:
      return field();
  }
}

/** Alternatives of different types in JSON. */
function loose() {
  const kinds = [
    ['std::string', 'fw::Field<"date">', 'fw::Field<"enum:a,b">', ...enums.slice(-2)],
    ['std::int64_t', 'double', 'fw::Field<"integer:0-9">', 'float', 'std::uint8_t'],
    ['bool'],
    ['std::vector<int>', 'std::set<std::string>', 'std::vector<std::vector<bool>>'],
    ['std::map<std::string, int>', ...structs.slice(-3)],
  ];
  for (let i = kinds.length - 1; i > 0; --i) {
    const j = random.below(i + 1);
    [kinds[i], kinds[j]] = [kinds[j], kinds[i]];
  }
  return `std::variant<${kinds
    .slice(0, 2 + random.below(3))
    .map((each) => random.pick(each))
    .join(', ')}>`;
}

function type(depth) {
  if (depth === 0 || random.chance(35)) return plain();
  switch (random.below(11)) {
    case 0:
      return `std::vector<${type(depth - 1)}>`;
    case 1:
      return `std::array<${type(depth - 1)}, ${random.below(4)}>`;
    case 2:
      return `fw::Items<${type(depth - 1)}, ${random.pick(['0, 2', '1', '1, 3', '2, 2'])}>`;
    case 3:
      return `std::set<${random.pick(scalarsOfSets)}>`;
    case 4:
      return `std::unordered_set<${random.pick(['int', 'std::string', 'bool', 'fw::Field<"enum:p,q,r">'])}>`;
    case 5:
      return `std::map<std::string, ${type(depth - 1)}>`;
    case 6:
      return `std::unordered_map<std::string, ${type(depth - 1)}>`;
    case 7:
      return loose();
    case 8:
      return enums.length > 0 ? random.pick(enums) : plain();
    case 9:
      return variants.length > 0 && random.chance(50) ? random.pick(variants) : loose();
    default: {
      if (structs.length === 0) return plain();
      if (random.chance(15)) return `Page<${random.pick(structs)}>`;
      return random.pick(structs);
    }
  }
}

/** A default that this type can have, and the document can show. */
function initialiser(cpp) {
  if (cpp === 'bool') return random.pick(['true', 'false']);
  if (integers.includes(cpp)) return random.pick(['0', '7', '100']);
  if (cpp === 'double' || cpp === 'float') return random.pick(['0.5', '2', '0']);
  if (cpp === 'std::string') return random.pick(['"x"', '"ä\\""', '{}']);
  if (cpp === 'fw::Field<"integer:-5-5">') return random.pick(['-5', '3']);
  if (cpp === 'fw::Field<"enum:a,b,c">') return '"b"';
  if (cpp.startsWith('std::vector') || cpp.startsWith('std::map') || cpp.startsWith('std::set')) return '{}';
  if (enums.includes(cpp)) return `${cpp}::${enumerators.get(cpp).at(-1)}`;
  return null;
}

const enumerators = new Map();
function enumeration(name) {
  const values = ['low', 'high', 'in_between', 'A', 'b2'].slice(0, 1 + random.below(5));
  enumerators.set(name, values);
  const underlying = random.chance(30) ? ' : std::uint8_t' : '';
  text += `enum class ${name}${underlying} { ${values.map((value, i) => (i === 1 && random.chance(40) ? `${value} = 7` : value)).join(', ')} };\n\n`;
  enums.push(name);
}

function member(name, cpp) {
  if (random.chance(25)) return `  std::optional<${cpp}> ${name};`;
  if (random.chance(8)) return `  std::unique_ptr<${cpp}> ${name};`;
  const value = random.chance(40) ? initialiser(cpp) : null;
  if (value !== null) return `  ${cpp} ${name} = ${value};`;
  if (random.chance(8)) return `  fw::Field<"${random.pick(defaults)}"> ${name};`;
  return `  ${cpp} ${name};`;
}

function struct(name, { literal = '', isRecursive = false } = {}) {
  const bases = structs.length > 0 && literal === '' && random.chance(15) ? [random.pick(structs)] : [];
  const lines = [];
  const names = [];
  const add = (memberName, line) => {
    names.push(memberName);
    lines.push(line);
  };
  if (literal !== '' && random.chance(50)) add('kind', `  fw::Literal<"${literal}"> kind;`);
  const members = random.below(6) + (literal === '' ? 1 : 0);
  for (let i = 0; i < members; ++i) {
    const memberName = `${name.toLowerCase()}_${random.pick(['a', 'b', 'some_name', 'X'])}${i}`;
    add(memberName, member(memberName, type(2)));
  }
  if (literal !== '' && !names.includes('kind')) add('kind', `  fw::Literal<"${literal}"> kind;`);
  if (isRecursive) {
    const [form, tail] = random.pick([
      [`std::vector<${name}>`, ' = {}'],
      [`std::unique_ptr<${name}>`, ''],
      [`std::map<std::string, ${name}>`, ' = {}'],
      [`std::optional<std::vector<${name}>>`, ''],
    ]);
    add('self', `  ${form} self${tail};`);
  }
  if (bases.length === 0 && names.length > 0 && literal === '' && random.chance(15)) {
    lines.push(
      `  int left_out = 0;`,
      `  FW_JSON(${name}, ${names.map((each, i) => (i % 2 === 0 ? each : `(${each}, "${each}-é$")`)).join(', ')})`,
    );
  }
  text += `${random.chance(30) ? `/// ${name}: "what" it is.\n` : ''}struct ${name}${bases.length > 0 ? ` : ${bases[0]}` : ''} {\n${lines.join('\n')}\n};\n\n`;
  structs.push(name);
}

/** A type that is an alternative within itself. */
function expression(name) {
  const plainKind = `fw::Literal<"${name.toLowerCase()}-leaf"> op`;
  text += `struct ${name}Leaf {\n  ${plainKind};\n  ${random.pick(['double', 'std::string', 'fw::Field<"integer:0-9">'])} value;\n};\n\n`;
  const terms = random.pick([
    `std::vector<std::variant<${name}Leaf, ${name}>> terms;`,
    `std::map<std::string, std::variant<${name}, ${name}Leaf>> terms;`,
    `std::vector<std::variant<std::string, ${name}>> terms;`,
  ]);
  const members = [terms, `fw::Literal<"${name.toLowerCase()}-sum"> op;`];
  if (random.chance(50)) members.reverse();
  text += `struct ${name} {\n  ${members.join('\n  ')}\n};\n\n`;
  structs.push(name);
}

function variant(name) {
  const alternatives = [];
  for (let i = 0; i < 2 + random.below(3); ++i) {
    struct(`${name}x${i}`, { literal: `${name.toLowerCase()}-${i}` });
    alternatives.push(structs.pop()); // not in other variants by type
  }
  text += `using ${name} = std::variant<${alternatives.join(', ')}>;\n\n`;
  variants.push(name);
}

text += `template <class T>
struct Page {
  std::vector<T> data;
  std::int64_t total = 0;
};

`;
const roots = [];
for (let i = 0; i < Number(count); ++i) {
  if (i % 3 === 0) enumeration(`Enum${i}`);
  if (i % 4 === 1) variant(`Variant${i}`);
  if (i % 7 === 3) expression(`Expression${i}`);
  struct(`Struct${i}`, { isRecursive: i % 6 === 2 });
  roots.push(`random_types::Struct${i}`);
  if (i % 9 === 4)
    roots.push(`std::vector<random_types::Struct${i}>`, `std::map<std::string, random_types::Struct${i}>`);
  if (i % 9 === 7 && variants.length > 0) roots.push(`random_types::${variants.at(-1)}`);
}

const header = `// Written by generate_types.mjs with the seed ${seed}.
#pragma once

#include <fairway/fairway.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

namespace random_types {

${text}}  // namespace random_types
`;
const routes = `// Written by generate_types.mjs with the seed ${seed}.
#include <fairway/fairway.hpp>

#include "../models/random.hpp"

FW_EXPORT_DEFAULT = fw::define_routes([](fw::Router& app) {
${roots
  .map(
    (root, i) => `  app.post("/t${i}", {.docs = {.operation_id = "t${i}"}},
           [](fw::Body<${root}> body, fw::Response& res) { res.json(*body); });`,
  )
  .join('\n')}
});
`;
function write(name, content) {
  const file = path.join(directory, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  if (!fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== content) fs.writeFileSync(file, content);
}
write('models/random.hpp', header);
write('routes/index.cpp', routes);
