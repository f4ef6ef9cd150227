// Names of C++ in the pages for contributors.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { proseOf } from '../../tools/site/pages.mjs';

/** The C++ sources below the folders: their path and their text, without comments. */
export function cppSources(root, folders) {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((name) => /\.[ch]pp$/.test(name))
      .map((name) => {
        const text = readFileSync(join(root, folder, name), 'utf8').replace(/(^|\s)\/\/.*$/gm, '$1');
        return { path: join(folder, name), text };
      }),
  );
}

// A function follows its type at the beginning of a line, which a call does not.
const declares = (text, name) =>
  new RegExp(
    `\\b(?:class|struct|enum|using|concept) (?:\\w+ )*${name}\\b|` +
      `^ *(?!return |throw |else )(?:[\\w:<>,*&\\[\\]]+ +)+[*&]*${name}\\(`,
    'm',
  ).test(text);

/** Whether a body of the class in `text` declares the member. */
function hasMember(text, name, member) {
  for (const match of text.matchAll(new RegExp(`^( *)(?:class|struct)(?: \\w+)* ${name}\\b[^;{]*\\{`, 'gm'))) {
    const rest = text.slice(match.index);
    const end = rest.search(new RegExp(`^${match[1]}\\};?`, 'm'));
    if (new RegExp(`\\b${member}\\b`).test(rest.slice(match[0].length, end < 0 ? undefined : end))) return true;
  }
  return false;
}

/** Whether the sources declare `Class::member`, or `space::name` in a namespace that ends so. */
function isDeclared(sources, scope, name) {
  const mentioned = sources.filter(({ text }) => text.includes(name) && text.includes(scope));
  if (/^[A-Z]/.test(scope)) return mentioned.some(({ text }) => hasMember(text, scope, name));
  const isInside = new RegExp(`^namespace (?:\\w+::)*${scope}\\b`, 'm');
  return mentioned.some(({ text }) => isInside.test(text) && declares(text, name));
}

/**
 * The names that the page quotes and that no source declares: `Class::member`, `space::name`, and, if `withFunctions`,
 * names of functions or files such as `run_request`. `fairway::` is of targets of CMake.
 */
export function unknownNames(page, sources, withFunctions = false) {
  const words = new Set(sources.flatMap(({ text }) => text.match(/\w+/g) ?? []));
  const files = new Set(sources.flatMap(({ path }) => path.replace(/\.[ch]pp$/, '').split('/')));
  const unknown = [];
  for (const { text, line } of proseOf(page)) {
    for (const [, scope, name] of text.matchAll(/`(?:\w+::)*(\w+)::(\w+)[^`]*`/g)) {
      if (!['std', 'fairway'].includes(scope) && !isDeclared(sources, scope, name))
        unknown.push({ name: `${scope}::${name}`, line });
    }
    if (!withFunctions) continue;
    for (const [, name] of text.matchAll(/`([a-z]+(?:_[a-z0-9]+)+)`/g))
      if (!words.has(name) && !files.has(name)) unknown.push({ name, line });
  }
  return unknown;
}
