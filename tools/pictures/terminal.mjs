// Draws the output of a command as a terminal shows it, with its ANSI colours: terminal.mjs OUT SHOWN COMMAND ARGUMENT...
// SHOWN is the title of the window, or, if it begins with `$ `, the command line above the output: the one of a
// project with a build directory.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const [out, shown, command, ...options] = process.argv.slice(2);
const { status, stdout, stderr } = spawnSync(command, options, { encoding: 'utf8' });
if (status !== 0 && status !== 1) throw new Error(`${command}: ${stderr}`);

const size = 13;
const advance = 7.83; // of a character, in pixels; textLength keeps it, whatever font there is
const height = 19;
const colours = {
  ...{ 31: 'red', 32: 'green', 33: 'yellow', 34: 'blue', 35: 'magenta', 36: 'cyan', 90: 'gray', 97: 'white' },
  ...{ 44: 'on-blue', 47: 'on-gray' },
};
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

// A line as spans { text, classes, back }. SGR sequences change the style of what follows.
function spansOf(line, style) {
  const spans = [];
  for (const [, codes, text] of line.matchAll(/(?:\x1b\[([\d;]*)m)?([^\x1b]*)/g)) {
    for (const code of codes === undefined ? [] : codes.split(';').map(Number)) {
      if (code === 0) Object.assign(style, plain);
      else if (code === 1) style.bold = 'bold';
      else if (code === 4) style.underline = 'underline';
      else if ((code >= 40 && code < 50) || code >= 100) style.back = colours[code];
      else style.colour = colours[code];
    }
    const { back, ...shown } = style;
    if (text !== '') spans.push({ text, back, classes: Object.values(shown).filter(Boolean).join(' ') });
  }
  return spans;
}

const plain = { bold: undefined, colour: undefined, underline: undefined, back: undefined };
const style = { ...plain };
const isCommand = shown.startsWith('$ ');
const title = isCommand ? shown.slice(2) : shown;
const lines = isCommand ? [[{ text: shown, classes: 'bold' }]] : [];
for (const line of (stdout + stderr).trimEnd().split('\n')) lines.push(spansOf(line, style));

const columns = Math.max(...lines.map((spans) => spans.reduce((sum, { text }) => sum + [...text].length, 0)));
const width = Math.ceil(columns * advance + 32);
const top = 46;
const rows = lines.map((spans, row) => {
  let column = 0;
  const backs = [];
  const parts = spans.map(({ text, classes, back }) => {
    const x = 16 + column * advance;
    const length = [...text].length;
    column += length;
    if (back) {
      const place = `x="${x.toFixed(1)}" y="${top + row * height - 14}" width="${(length * advance).toFixed(1)}"`;
      backs.push(`<rect class="${back}" ${place} height="${height}"/>`);
    }
    if (text.trim() === '') return '';
    const shift = text.length - text.trimStart().length;
    const content = text.trim();
    const span = (content.length * advance).toFixed(1);
    const classed = classes ? ` class="${classes}"` : '';
    return `<tspan x="${(x + shift * advance).toFixed(1)}" textLength="${span}"${classed}>${escaped(content)}</tspan>`;
  });
  return `${backs.join('')}<text y="${top + row * height}">${parts.join('')}</text>`;
});
const total = top + lines.length * height;
writeFileSync(
  out,
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total}" viewBox="0 0 ${width} ${total}" role="img">
<title>${escaped(title)}</title>
<style>
  .back { fill: #f6f8fa; stroke: #d0d7de; }
  text { font: ${size}px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #1f2328; white-space: pre; }
  .bold { font-weight: bold; } .underline { text-decoration: underline; }
  .red { fill: #cf222e; } .green { fill: #116329; } .yellow { fill: #7d4e00; } .magenta { fill: #8250df; } .cyan { fill: #0550ae; }
  .blue { fill: #0a3069; } .gray { fill: #6e7781; } .white { fill: #ffffff; } .on-blue { fill: #0969da; } .on-gray { fill: #d8dee4; }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117; stroke: #30363d; }
    text { fill: #d1d7e0; }
    .red { fill: #ff7b72; } .green { fill: #7ee787; } .yellow { fill: #e3b341; } .magenta { fill: #d2a8ff; } .cyan { fill: #79c0ff; }
    .blue { fill: #a5d6ff; } .gray { fill: #8b949e; } .on-blue { fill: #1f6feb; } .on-gray { fill: #30363d; }
  }
</style>
<rect class="back" x="0.5" y="0.5" width="${width - 1}" height="${total - 1}" rx="8"/>
<circle cx="18" cy="16" r="5" fill="#ff5f57"/><circle cx="36" cy="16" r="5" fill="#febc2e"/><circle cx="54" cy="16" r="5" fill="#28c840"/>${isCommand ? '' : `\n<text class="gray" x="${width / 2}" y="21" text-anchor="middle">${escaped(title)}</text>`}
${rows.join('\n')}
</svg>
`,
);
