// Writes docs/contract-changes.md: the catalogue of `fairway diff`. A unit test of the catalogue verifies its examples. Usage: node changes-page.mjs FAIRWAY FILE.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

const fairway = path.resolve(process.argv[2]);
const listed = spawnSync(fairway, ['diff', '--list-changes', '--format', 'json'], {
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
});
if (listed.status !== 0) throw new Error(listed.stderr);
const rows = JSON.parse(listed.stdout).changes;

const introduction = `# Contract changes

\`fairway diff OLD NEW\` compares two OpenAPI documents (3.0, 3.1 or 3.2, JSON or YAML) or two
\`routes.manifest.json\` files and reports the following changes. A change is **breaking** if a
client that follows the old document can fail, **non-breaking** if it cannot, and a
**documentation** change if requests and responses stay the same. Requests and responses are
compared differently: a request schema that accepts less breaks clients, and so does a response
schema that allows more. References are resolved, and \`allOf\` is merged. The order of members,
parameters and alternatives does not matter, nor does the notation of null.

YAML is read with the core schema of YAML 1.2: \`yes\` is a string, and so is a key such as
\`200:\`. Anchors are resolved. A duplicate key is an error, and so is the merge key \`<<\` of YAML
1.1.

A manifest also contains hidden routes, and the roles, scopes and permissions of \`auth\`.

Two lists of \`fairway observe metrics\` are compared, too. Their clients are the queries of dashboards and
alerts: a series that disappears, or has another meaning, is **breaking**, and a new one is not.
[Series that disappear](metrics.md#series-that-disappear) has an example.

## Exit status

| status | meaning |
| --- | --- |
| 0 | no breaking change, or approved ones only |
| 1 | a breaking change that is not approved |
| 2 | usage error, or documents that cannot be compared |

## In the build

\`fairway_add_diff_test\` adds a test of CTest with this comparison. It fails, with the report, if a change
breaks clients and is not approved:

\`\`\`cmake
enable_testing()
fairway_add_diff_test(shop_contract_changes shop RELEASED api/released.json APPROVALS api/approved.json)
\`\`\`

\`api/released.json\` is the document of the last release: a copy of \`<build>/fairway/shop/openapi.json\`.
A release replaces it, and empties the approvals. Without \`APPROVALS\`, nothing is approved. The report of a
red test has the ids of the changes; to approve them, run
\`fairway diff api/released.json <build>/fairway/shop/openapi.json --write-approvals api/approved.json\`.

## Approvals

\`--approve FILE\` reads a file of intended changes. They are reported as approved and do not affect
the exit status; an approval that matches no change is reported. \`--write-approvals FILE\` writes a
file that approves the current breaking changes.

\`\`\`json
{"version": 1, "approvals": [
  {"id": "operation-removed", "operation": "GET /legacy", "location": "", "reason": "unused since May"}
]}
\`\`\`

\`operation\` is \`API\` for changes to the whole API, and the name of a metric for changes to that metric. \`location\` is the part of the output before
the message, or empty if there is none. \`reason\` is optional.

## JSON

\`--format json\` prints one object. Within a version, members may be added, but are never renamed.

| member | meaning |
| --- | --- |
| \`version\` | 1 |
| \`ok\` | whether the exit status is 0 |
| \`old\`, \`new\` | the files |
| \`summary\` | \`breaking\`, \`approved\` (of the breaking ones), \`non_breaking\`, \`documentation\`: counts |
| \`changes\` | \`id\`, \`level\`, \`operation\`, \`method\` and \`path\` (absent for the whole API and for metrics), \`metric\` (its name, for changes to a metric), \`location\`, \`pointer\` (JSON pointer) into \`document\` (\`"old"\` for removed elements, otherwise \`"new"\`), \`message\`, \`approved\`, \`reason\` (where given) |
| \`unused_approvals\` | \`id\`, \`operation\`, \`location\` |

## Changes

This page is written by \`tools/docs.sh\` from the catalogue of the compiler, which
\`--list-changes\` and \`--explain ID\` print; a test verifies its examples.

| id | level | change |
| --- | --- | --- |
`;
let page = introduction;
for (const row of rows) page += `| [\`${row.id}\`](#${row.id}) | ${row.level} | ${row.rule} |\n`;
for (const row of rows) {
  page += `\n### ${row.id}\n\n${row.level[0].toUpperCase()}${row.level.slice(1)}: ${row.rule}. ${row.explanation}\n\n`;
  page += `\`\`\`text\nbefore  ${row.example.before}\nafter   ${row.example.after}\n\n${row.report}\n\`\`\`\n`;
}
writeFileSync(process.argv[3], page);
