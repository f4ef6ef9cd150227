// Blocks of the language `console`: a line that begins with "$ " is a command, the lines after it are its output. In
// the output, "…" stands for anything, a line of "…" for any lines; times and UUIDs may differ.

/** Commands of a block, each with the lines that its output must have. */
export function stepsOf(lines) {
  const steps = [];
  for (const line of lines) {
    if (line.startsWith('$ ')) steps.push({ command: line.slice(2), expected: [] });
    else if (steps.length === 0) throw new Error('the block does not begin with a command');
    else if (steps.at(-1).command.endsWith('\\')) steps.at(-1).command += `\n${line}`;
    else steps.at(-1).expected.push(line);
  }
  return steps;
}

const withoutVariable = (text) =>
  text
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<id>')
    .replace(/ *\d+(\.\d+)? (s|sec|ms)\b/g, ' <time>');

/** A pattern for one line of expected output. */
export const patternOf = (line) =>
  withoutVariable(line)
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('…', '.*');

/** Throws if the output is another than expected. */
export function checkOutput(expected, output) {
  const lines = expected.map((line) => (line === '…' ? '(?:.*\\n)*?' : `${patternOf(line)}\\n`));
  const actual = `${withoutVariable(output)
    .replace(/[ \t]+$/gm, '')
    .replace(/\n+$/, '')}\n`;
  if (!new RegExp(`^${lines.join('')}$`).test(actual)) {
    throw new Error(`the page says\n${expected.join('\n')}\nbut the output is\n${output}`);
  }
}
