// Reads Markdown pages: their fenced blocks, headings and links.
import { readFileSync } from 'node:fs';

// A block: { language, lines, line, file, directives }. `line` is the number of its first line in the page, `file` the
// path in a comment on that line, and `directives` are the words of a comment directly above the
// fence: `<!-- snippet: test -->` is { snippet: "test" }.
export function blocksOf(path) {
  const blocks = [];
  let block = null;
  let directives = {};
  readFileSync(path, 'utf8')
    .split('\n')
    .forEach((line, index) => {
      const fence = /^```(\S*)/.exec(line);
      if (block && fence) {
        blocks.push(block);
        block = null;
      } else if (block) {
        if (block.lines.length === 0) block.file = fileNamedBy(line);
        block.lines.push(line);
      } else if (fence) {
        block = { language: fence[1], lines: [], line: index + 2, file: null, directives };
        directives = {};
      } else {
        const comment = /^<!-- (\w+): (.*) -->$/.exec(line);
        if (comment) directives = { ...directives, [comment[1]]: comment[2] };
        else if (line !== '') directives = {};
      }
    });
  if (block) throw new Error(`${path}:${block.line}: the block does not end`);
  return blocks;
}

function fileNamedBy(line) {
  const named = /^(?:\/\/|#|--|<!--) ((?:[\w.-]+\/)*[\w.-]+\.\w+)\b/.exec(line);
  return named ? named[1] : null;
}

// The lines of a page outside of its blocks, with their numbers.
export function proseOf(path) {
  let inside = false;
  return readFileSync(path, 'utf8')
    .split('\n')
    .map((text, index) => ({ text, line: index + 1 }))
    .filter(({ text }) => {
      if (text.startsWith('```')) {
        inside = !inside;
        return false;
      }
      return !inside;
    });
}

// The anchors of a page's headings, as GitHub makes them; the site's generator is set to the same.
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

export function anchorsOf(path) {
  const anchors = new Map();
  for (const { text } of proseOf(path)) {
    const heading = /^#{1,6} (.*)$/.exec(text);
    if (!heading) continue;
    const anchor = anchorOf(heading[1]);
    const count = anchors.get(anchor) ?? 0;
    anchors.set(anchor, count + 1);
    if (count > 0) anchors.set(`${anchor}-${count}`, 1);
  }
  return new Set(anchors.keys());
}

export function linksOf(path) {
  const links = [];
  // A link may go over the end of a line.
  const prose = proseOf(path);
  const text = prose
    .map((each) => each.text)
    .join('\n')
    .replace(/`[^`]*`/g, (code) => code.replace(/[[\]()]/g, '_'));
  for (const match of text.matchAll(/\[([^\]]*)\]\(([^)\s]+)\)/g)) {
    const before = text.slice(0, match.index).split('\n').length - 1;
    links.push({ text: match[1], target: match[2], line: prose[before].line });
  }
  return links;
}
