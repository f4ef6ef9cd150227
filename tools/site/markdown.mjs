// Writes what programs read of the site: each page as Markdown beside its HTML, and llms.txt, which lists the pages
// (https://llmstxt.org). Usage: markdown.mjs DOCS FOLDER
import { copyFileSync, cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [docs, folder] = process.argv.slice(2);
for (const name of readdirSync(docs).filter((each) => each.endsWith('.md'))) {
  copyFileSync(join(docs, name), join(folder, name === 'README.md' ? 'index.md' : name));
}
const recipes = readdirSync(join(docs, 'recipes')).filter((each) => each.endsWith('.md'));
mkdirSync(join(folder, 'recipes'), { recursive: true });
for (const name of recipes) copyFileSync(join(docs, 'recipes', name), join(folder, 'recipes', name));
cpSync(join(docs, 'pictures'), join(folder, 'pictures'), { recursive: true });

const contents = readFileSync(join(docs, 'README.md'), 'utf8');
const [, title, summary] = /^# (.*)\n\n((?:.+\n)+)/.exec(contents);
const lines = [`# ${title}`, '', `> ${summary.trim().replaceAll('\n', ' ')}`, ''];
// An item may go over the end of a line.
const linesOf = (text) => text.replace(/\n {2}(?=\S)/g, ' ').split('\n');
function list(line, below) {
  if (!line.startsWith('* ')) return;
  const links = [...line.matchAll(/\[([^\]]*)\]\(((?:\w+\/)?[\w-]+\.md)\)/g)];
  const [, about] = /\)(: .*)$/.exec(line) ?? [];
  for (const [, text, page] of links)
    lines.push(`- [${text}](/${below}${page})${links.length === 1 ? (about ?? '') : ''}`);
}
for (const line of linesOf(contents)) {
  if (line.startsWith('## ')) lines.push(line, '');
  list(line, '');
  if (!line.includes('(recipes/README.md)')) continue;
  for (const each of linesOf(readFileSync(join(docs, 'recipes/README.md'), 'utf8'))) list(each, 'recipes/');
}
const spaced = lines.flatMap((line, index) => (line.startsWith('## ') && index > 4 ? ['', line] : [line]));
writeFileSync(join(folder, 'llms.txt'), `${spaced.join('\n')}\n`);
