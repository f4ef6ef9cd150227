// Writes what programs read of the site: each page as Markdown beside its HTML, and llms.txt, which lists the pages
// (https://llmstxt.org). Usage: markdown.mjs DOCS FOLDER
import { copyFileSync, cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [docs, folder] = process.argv.slice(2);
for (const name of readdirSync(docs).filter((each) => each.endsWith('.md'))) {
  copyFileSync(join(docs, name), join(folder, name === 'README.md' ? 'index.md' : name));
}
cpSync(join(docs, 'pictures'), join(folder, 'pictures'), { recursive: true });

const contents = readFileSync(join(docs, 'README.md'), 'utf8');
const [, title, summary] = /^# (.*)\n\n((?:.+\n)+)/.exec(contents);
const lines = [`# ${title}`, '', `> ${summary.trim().replaceAll('\n', ' ')}`, ''];
// An item may go over the end of a line.
for (const line of contents.replace(/\n {2}(?=\S)/g, ' ').split('\n')) {
  if (line.startsWith('## ')) lines.push(line, '');
  if (!line.startsWith('* ')) continue;
  const links = [...line.matchAll(/\[([^\]]*)\]\(([\w-]+\.md)\)/g)];
  const [, about] = /\)(: .*)$/.exec(line) ?? [];
  for (const [, text, page] of links) lines.push(`- [${text}](/${page})${links.length === 1 ? (about ?? '') : ''}`);
}
const spaced = lines.flatMap((line, index) => (line.startsWith('## ') && index > 4 ? ['', line] : [line]));
writeFileSync(join(folder, 'llms.txt'), `${spaced.join('\n')}\n`);
