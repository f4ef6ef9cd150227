// Writes docs/contract-changes.md: the catalogue of `fairway diff` with examples that are really
// compared. Usage: node changes-page.mjs FAIRWAY FILE. Fails when an example shows another change.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const fairway = path.resolve(process.argv[2]);
const scratch = mkdtempSync(path.join(os.tmpdir(), 'changes-'));
let faults = 0;

function diff(...options) {
  const result = spawnSync(fairway, ['diff', ...options], { cwd: scratch, encoding: 'utf8' });
  if (result.status !== 0 && result.status !== 1) throw new Error(result.stderr);
  return result.stdout;
}
function compared(before, after, ...options) {
  writeFileSync(path.join(scratch, 'old.json'), JSON.stringify(before));
  writeFileSync(path.join(scratch, 'new.json'), JSON.stringify(after));
  return diff('old.json', 'new.json', ...options);
}

const rows = diff('--list-changes').trimEnd().split('\n').map((line) => line.split(' ', 1)[0])
  .map((id) => {
    const row = JSON.parse(diff('--explain', id, '--format', 'json'));
    const [before, after] = /\n  before  (.*)\n  after   (.*)\n$/.exec(diff('--explain', id)).slice(1);
    return { ...row, documents: [row.before, row.after], before, after };
  });

const introduction = `# Contract changes

What \`fairway diff OLD NEW\` reports about two OpenAPI documents (3.0 or 3.1, JSON or YAML) or about two
\`routes.manifest.json\`. A change is **breaking** when a client that keeps to the old document can fail,
**non-breaking** when it cannot, and of **documentation** when nothing on the wire differs. Schemas are
compared in their direction: what narrows a request breaks those who send it, what widens a response
breaks those who read it. References are followed, \`allOf\` is folded, and the order of members,
parameters and alternatives does not matter; so does not how null is written.

YAML is read by the core schema of version 1.2: \`yes\` is a string, a key such as \`200:\` too. Anchors are
resolved; a key that a mapping has twice is an error, and so is the merge key \`<<\` of YAML 1.1.

A manifest has what a document leaves out: hidden routes, and the roles, scopes and permissions of
\`auth\`.

## Exit status

| status | meaning |
| --- | --- |
| 0 | no breaking change, or approved ones only |
| 1 | a breaking change that is not approved |
| 2 | wrong usage, or input that cannot be compared |

## Approvals

\`--approve FILE\` names changes that are meant. They are shown as approved and do not fail; an approval
that no change needs is told. \`--write-approvals FILE\` writes one for the present breaking changes.

\`\`\`json
{"version": 1, "approvals": [
  {"id": "operation-removed", "operation": "GET /legacy", "location": "", "reason": "unused since May"}
]}
\`\`\`

\`operation\` is \`API\` for what concerns the whole API; \`location\` is the text before the message, empty
where there is none; \`reason\` may be left out.

## JSON

\`--format json\` prints one object. Members may be added under one version, never renamed.

| member | meaning |
| --- | --- |
| \`version\` | 1 |
| \`ok\` | whether the exit status is 0 |
| \`old\`, \`new\` | the files |
| \`summary\` | \`breaking\`, \`approved\` (of the breaking ones), \`non_breaking\`, \`documentation\`: counts |
| \`changes\` | \`id\`, \`level\`, \`operation\`, \`method\` and \`path\` (absent for the whole API), \`location\`, \`pointer\` (JSON pointer) into \`document\` (\`"old"\` for what is gone, else \`"new"\`), \`message\`, \`approved\`, \`reason\` (where given) |
| \`unused_approvals\` | \`id\`, \`operation\`, \`location\` |

## Changes

This page is written by \`tools/docs.sh\` from the catalogue of the compiler, which \`--list-changes\` and
\`--explain ID\` print; its examples are compared while it is written.

| id | level | change |
| --- | --- | --- |
`;
let page = introduction;
for (const row of rows) page += `| [\`${row.id}\`](#${row.id}) | ${row.level} | ${row.rule} |\n`;
for (const row of rows) {
  const { changes } = JSON.parse(compared(...row.documents, '--format', 'json'));
  if (changes.length !== 1 || changes[0].id !== row.id || changes[0].level !== row.level) {
    faults += 1;
    console.error(`changes page: the example of '${row.id}' shows ${JSON.stringify(changes)}`);
    continue;
  }
  const shown = compared(...row.documents).split('\n').slice(0, 2).join('\n');
  page += `\n### ${row.id}\n\n${row.level[0].toUpperCase()}${row.level.slice(1)}: ${row.rule}. ${row.explanation}\n\n`;
  page += `\`\`\`text\nbefore  ${row.before}\nafter   ${row.after}\n\n${shown}\n\`\`\`\n`;
}
rmSync(scratch, { recursive: true });
if (faults > 0) process.exit(1);
writeFileSync(process.argv[3], page);
