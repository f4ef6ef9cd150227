// Starts Swagger UI on the application's document.
'use strict';

(() => {
  const node = document.getElementById('viewer');
  const root = new URL(node.dataset.root, document.baseURI);

  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const applyTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', applyTheme);
  applyTheme();

  const complain = (message) => {
    const notice = document.createElement('p');
    notice.className = 'notice';
    notice.textContent = message;
    node.replaceChildren(notice);
  };

  // A document without servers of its own means the application itself: below the same prefix as
  // this page, which only the browser knows.
  const placeServers = (spec) => {
    const servers = spec.servers || [];
    if (servers.length === 0 || (servers.length === 1 && servers[0].url === '/')) {
      spec.servers = [{ ...servers[0], url: root.href.replace(/\/$/, '') }];
    }
    return spec;
  };

  const limitTryItOut = (spec) => () => ({
    statePlugins: {
      spec: {
        wrapSelectors: {
          allowTryItOutFor: (original) => (state, path, method) => {
            const operation = ((spec.paths || {})[path] || {})[method] || {};
            return (
              operation['x-fw-docs-try-it-out'] !== false &&
              !window.FairwayPush.isPushOnly(spec, operation) &&
              original(state, path, method)
            );
          },
        },
      },
    },
  });

  const show = (spec) => {
    const ui = window.SwaggerUIBundle({
      spec,
      domNode: node,
      deepLinking: true,
      defaultModelsExpandDepth: 0,
      displayRequestDuration: true,
      filter: Object.keys(spec.paths || {}).length > 12,
      plugins: [limitTryItOut(spec)],
      presets: [window.SwaggerUIBundle.presets.apis],
      layout: 'BaseLayout',
      tryItOutEnabled: false,
      validatorUrl: null,
    });
    const section = document.getElementById('push');
    window.FairwayPush.show(section, document.getElementById('push-link'), spec, ui);
  };

  fetch(node.dataset.document, { headers: { accept: 'application/json' } })
    .then((response) => {
      if (!response.ok) throw new Error(`status ${response.status}`);
      return response.json();
    })
    .then((spec) => show(placeServers(spec)))
    .catch((error) => complain(`The OpenAPI document cannot be loaded: ${error.message}.`));
})();
