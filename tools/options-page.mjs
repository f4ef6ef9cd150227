// Writes docs/route-options.md: the members of RouteOptions and of the records in it, in the order of the table of options, with their
// docstrings. Usage: node options-page.mjs PAGE, in the root of the project. Fails if a member has no docstring.
import { readFileSync, writeFileSync } from 'node:fs';

const headers = [
  'route_options',
  'route_option_types',
  'route_auth',
  'schema',
  'socket_messages',
  'responses',
  'response_docs',
  'docs',
]
  .map((name) => readFileSync(`runtime/include/fairway/${name}.hpp`, 'utf8'))
  .join('\n');
const table = readFileSync('runtime/options/option_members.hpp', 'utf8');
const constraints = readFileSync('runtime/options/option_constraints.cpp', 'utf8');

const textOf = (comments) =>
  comments
    .map((line) => line.replace(/^\s*\/\/\/<? ?/, ''))
    .join(' ')
    .trim();
const cell = (text) =>
  text
    .replaceAll('|', '\\|')
    .replaceAll('(docs/', '(')
    .replace(/\((\w+(?:-\w+)*)\.md\)/, '([$1.md]($1.md))');
function fail(text) {
  console.error(`options page: ${text}`);
  process.exit(1);
}

/// The docstring of a record, and of each of its members with its type and default.
function record(name) {
  const [, comments, body] =
    new RegExp(`((?:^///.*\\n)+)struct ${name} \\{\\n([\\s\\S]*?)^\\};`, 'm').exec(headers) ??
    fail(`there is no documented struct ${name}`);
  const members = new Map();
  let before = [];
  let last;
  for (const line of body.split('\n')) {
    const member = /^  (\S.*?) (\w+) = (.*?);(?:\s*(\/\/\/<.*))?$/.exec(line);
    if (/^\s*\/\/\/</.test(line)) {
      last.comments.push(line);
    } else if (/^\s*\/\/\//.test(line)) {
      before.push(line);
    } else if (member) {
      const [, type, id, value, after] = member;
      last = { type, value, comments: after ? [...before, after] : before };
      members.set(id, last);
      before = [];
    }
  }
  return { text: textOf(comments.trimEnd().split('\n')), members };
}

/// The text of a table of constraints.
const rowsOf = (name) =>
  new RegExp(`${name}\\[\\] = \\{\\n([\\s\\S]*?)^\\};`, 'm').exec(constraints)?.[1] ??
  fail(`there is no table ${name}`);

const string = String.raw`"((?:[^"\\]|\\.)*)"`;

/// What is wrong with a value and what to write, from the messages of the diagnostics; several for one option are joined.
function valueConstraints(table, prefix) {
  const found = new Map();
  const row = new RegExp(
    `\\{\\s*${string},\\s*[\\w:<>]+,\\s*${string}(?:,\\s*(?:${string}|R"\\((.*?)\\)"|(k\\w+)))?`,
    'g',
  );
  for (const [, option, message, help, rawHelp, helpName] of rowsOf(table).matchAll(row)) {
    const named = helpName && new RegExp(`${helpName} =\\s*R"\\((.*?)\\)"`).exec(constraints)?.[1];
    const name = `${prefix}${option.replace(/\.\*$/, '')}`;
    const text = [message, help ?? rawHelp ?? named].filter(Boolean).join('; ');
    const readable = text
      .replaceAll(/\\(.)/g, '$1')
      .replaceAll('{0}', name)
      .replaceAll(/'?\{1\}'?/g, '`…`')
      .replaceAll(/"?\{2\}"?/g, 'it in upper case')
      .replaceAll(/'([\w.]+)'/g, '`$1`');
    found.set(name, [...(found.get(name) ?? []), readable]);
  }
  return [...found].map(([name, texts]) => `| \`${name}\` | ${cell(texts.join('. '))} |\n`).join('');
}

/// The pairs of conditions of a table such as kNeeds, as text.
function pairs(table) {
  const named = new Map(
    [...constraints.matchAll(new RegExp(`constexpr Condition (\\w+)\\{(${string}(?:, ${string})?)\\}`, 'g'))].map(
      ([, name, body]) => [name, body],
    ),
  );
  const text = (condition) => {
    const [, option, value] = new RegExp(`^${string}(?:, ${string})?$`).exec(condition);
    return value && value !== 'true' ? `\`${option} = "${value}"\`` : `\`${option}\``;
  };
  const one = `(?:\\{(${string}(?:, ${string})?)\\}|(k\\w+))`;
  return [...rowsOf(table).matchAll(new RegExp(`\\{${one},\\s*${one}`, 'g'))].map((match) => {
    const [first, second] = [match.slice(1, 5), match.slice(5, 9)];
    return [text(first[0] ?? named.get(first[3])), text(second[0] ?? named.get(second[3]))];
  });
}

/// The options of an array of names.
const names = (table) => [...rowsOf(table).matchAll(new RegExp(string, 'g'))].map(([, name]) => `\`${name}\``);

const rows = [...table.matchAll(/struct RecordOf<(\w+)> \{([\s\S]*?)^\};/gm)].map(([, name, body]) => ({
  name,
  members: [...body.matchAll(/member\(\s*"(\w+)"/g)].map(([, id]) => id),
}));

let page = `# Route options

All members of the options of a route, and of the records in them, in the order in which they must be written. [Routes](routing.md)
shows them in use. [Constraints](#constraints) lists the values that are not allowed, and the options that contradict each other.

This page is written by \`tools/docs.sh\` from the docstrings of the headers and the table of constraints.
`;
for (const { name, members } of rows) {
  const { text, members: documented } = record(name);
  page += `\n## ${name}\n\n${cell(text)}\n\n| member | type | meaning |\n|---|---|---|\n`;
  for (const id of members) {
    const member = documented.get(id) ?? fail(`${name}::${id} is not a member of its struct`);
    // The member that the framework sets itself.
    if (`${name}::${id}` === 'BodyParser::declared') continue;
    if (member.comments.length === 0) fail(`${name}::${id} has no docstring`);
    page += `| \`${id}\` | \`${member.type}\` | ${cell(textOf(member.comments))} |\n`;
  }
}
const excluded = pairs('kExclusions').map(([option, other]) => `| ${option} | excludes ${other} |\n`);
const needed = pairs('kNeeds').map(([option, other]) => `| ${option} | needs ${other} |\n`);
page += `
## Constraints

Each is an error of the route compiler, [conflicting-options](diagnostics.md#conflicting-options), and of the start of the program,
with the same words. The members have their names in C++; a list is checked item by item.

Sockets have no ${names('kNotOfSockets').join(', ')}. Other routes have no ${names('kOfSockets').join(', ')}.

| option | constraint |
|---|---|
${valueConstraints('kValueConstraints', '')}${valueConstraints('kCorsConstraints', 'override_.cors.')}${excluded.join('')}${needed.join('')}`;
writeFileSync(process.argv[2], page);
