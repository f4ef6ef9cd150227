// Writes docs/route-options.md: the members of RouteOptions and of the records in it, in the order of the table of options, with their
// docstrings. Usage: node options-page.mjs PAGE, in the root of the project. Fails if a member has no docstring.
import { readFileSync, writeFileSync } from 'node:fs';

const headers = ['route_options', 'schema', 'auth', 'responses', 'docs']
  .map((name) => readFileSync(`runtime/include/fairway/${name}.hpp`, 'utf8'))
  .join('\n');
const table = readFileSync('runtime/options/option_members.hpp', 'utf8');

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

const rows = [...table.matchAll(/struct RecordOf<(\w+)> \{([\s\S]*?)^\};/gm)].map(([, name, body]) => ({
  name,
  members: [...body.matchAll(/member\(\s*"(\w+)"/g)].map(([, id]) => id),
}));

let page = `# Route options

All members of the options of a route, and of the records in them, in the order in which they must be written. [Routes](routing.md)
shows them in use. Values that are not allowed, and options that contradict each other, are errors of the route compiler:
[conflicting-options](diagnostics.md#conflicting-options).

This page is written by \`tools/docs.sh\` from the docstrings of the headers.
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
writeFileSync(process.argv[2], page);
