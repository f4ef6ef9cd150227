// The site of docs/: the contents page decides the order, and GitHub's anchors are the site's.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { anchorOf } from '../pages.mjs';

const docs = fileURLToPath(new URL('../../../docs/', import.meta.url));
const read = (page) => readFileSync(docs + page, 'utf8');
const titleOf = (page) => /^# (.*)$/m.exec(read(page))[1].replaceAll('`', '');

// The pages that an item of a list links to.
const itemsOf = (line, folder) =>
  [...line.matchAll(/\[([^\]]*)\]\(((?:\w+\/)?[\w-]+)\.md\)/g)].map(([, text, page]) => {
    const name = text.replaceAll('`', '');
    return { text: name[0].toUpperCase() + name.slice(1), link: `/${folder}${page}` };
  });
const listOf = (page) =>
  read(page)
    .split('\n')
    .filter((line) => /^(## |\* )/.test(line));

// The sidebar: the sections of docs/README.md with the pages that they list, and the recipes.
function sidebar() {
  const groups = [];
  for (const line of listOf('README.md')) {
    if (line.startsWith('## ')) groups.push({ text: line.slice(3), items: [] });
    else groups.at(-1).items.push(...itemsOf(line, ''));
    if (line.includes('(recipes/README.md)'))
      groups.at(-1).items.push(...listOf('recipes/README.md').flatMap((each) => itemsOf(each, 'recipes/')));
  }
  groups.at(-1).items.push({ text: 'C++ API', link: '/api/index.html', target: '_self' });
  return groups;
}

export default defineConfig({
  title: 'Fairway',
  description: 'Web APIs in C++ whose routes are checked before the program is linked',
  lang: 'en-US',
  srcDir: docs,
  srcExclude: ['diagnostics/**', 'internals/**'],
  outDir: process.env.FAIRWAY_SITE_OUT,
  cacheDir: process.env.FAIRWAY_SITE_CACHE,
  rewrites: { 'README.md': 'index.md' },
  // Written beside the page by markdown.mjs.
  transformHead: ({ page }) =>
    page === '404.md' ? [] : [['link', { rel: 'alternate', type: 'text/markdown', href: `/${page}` }]],
  // Written beside these pages by tools/api-reference.sh, and addresses of examples.
  ignoreDeadLinks: [/^\/api\//, /^http:\/\/127\.0\.0\.1/],
  // Modules are looked up from a page's folder, which is not the folder of the modules.
  vite: {
    resolve: {
      alias: [
        {
          find: /^vue(\/server-renderer)?$/,
          replacement: fileURLToPath(new URL('../node_modules/vue$1', import.meta.url)),
        },
      ],
    },
  },
  markdown: {
    anchor: { slugify: anchorOf },
    config(md) {
      // Vue would take tags for its components, and two braces for an expression: here they are text.
      const escape = (token) => md.utils.escapeHtml(token.content).replaceAll('{{', '&#123;&#123;');
      md.renderer.rules.code_inline = (tokens, index) => `<code>${escape(tokens[index])}</code>`;
      md.renderer.rules.text = md.renderer.rules.html_inline = (tokens, index) => escape(tokens[index]);
      md.renderer.rules.html_block = () => ''; // comments for tests
      // A link whose text is the name of its file shows the title of that page.
      md.core.ruler.push('titles_of_links', (state) => {
        for (const { children } of state.tokens) {
          (children ?? []).forEach((token, index) => {
            const page = token.type === 'link_open' ? /^(?:\.\/)?([\w-]+\.md)/.exec(token.attrGet('href')) : null;
            const text = page ? children[index + 1] : null;
            if (text && (text.content === page[1] || text.content === `docs/${page[1]}`))
              text.content = titleOf(page[1]);
          });
        }
      });
    },
  },
  themeConfig: {
    sidebar: sidebar(),
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        // The index has no colours, and they take most of the time.
        _render(text, environment, md) {
          md.options.highlight = null;
          return md.render(text, environment);
        },
      },
    },
    nav: [
      { text: 'Tutorial', link: '/tutorial' },
      { text: 'Diagnostics', link: '/diagnostics' },
      { text: 'C++ API', link: '/api/index.html', target: '_self' },
    ],
  },
});
