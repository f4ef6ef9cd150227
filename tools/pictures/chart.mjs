// Draws the processor time per request of servers: chart.mjs SOURCE OUT [CASE:CONNECTIONS ...]. SOURCE is a file that
// tests/bench/http/run.mjs --json has written; without cases, all of it is drawn.
import { readFileSync, writeFileSync } from 'node:fs';
import { isOwn } from '../../tests/bench/http/servers.mjs';

const [source, out, ...cases] = process.argv.slice(2);
const results = JSON.parse(readFileSync(source, 'utf8')).results;
const find = (name) => {
  const result = results.find(({ test, connections }) => `${test}:${connections}` === name);
  if (result === undefined) throw new Error(`${source}: there is no '${name}'`);
  return result;
};
const charts = (cases.length > 0 ? cases.map(find) : results).map(({ title, connections, rows }) => ({
  title: `${title}, ${connections} connections`,
  rows: rows.map(({ name, title: server, cpu }) => ({ name, server, cost: cpu })),
}));

const left = 220;
const scale = 400;
const line = 24;
let y = 30;
const parts = [];
for (const { title, rows } of charts) {
  rows.sort((a, b) => a.cost - b.cost);
  const most = Math.max(...rows.map(({ cost }) => cost));
  parts.push(`<text class="title" x="16" y="${y}">${title}: µs of processor time per request</text>`);
  y += 14;
  for (const { name, server, cost } of rows) {
    const width = ((cost / most) * scale).toFixed(1);
    const own = isOwn(name) ? ' own' : '';
    parts.push(
      `<text class="name${own}" x="${left - 8}" y="${y + 13}">${server}</text>` +
        `<rect class="bar${own}" x="${left}" y="${y}" width="${width}" height="17" rx="2"/>` +
        `<text class="value${own}" x="${(left + Number(width) + 6).toFixed(1)}" y="${y + 13}">${cost.toFixed(1)}</text>`,
    );
    y += line;
  }
  y += 30;
}
const width = left + scale + 60;
const height = y - 20;
writeFileSync(
  out,
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>Processor time per request: less is better</title>
<style>
  .back { fill: #ffffff; stroke: #d0d7de; }
  text { font: 13px system-ui, "DejaVu Sans", sans-serif; fill: #1f2328; }
  .title { font-weight: bold; } .name { text-anchor: end; } .own { font-weight: bold; }
  .bar { fill: #8c959f; } .bar.own { fill: #0969da; }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117; stroke: #30363d; }
    text { fill: #d1d7e0; }
    .bar { fill: #6e7681; } .bar.own { fill: #4493f8; }
  }
</style>
<rect class="back" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${parts.join('\n')}
</svg>
`,
);
