// prism (of npm) as a proxy in front of a service: it validates every response against a document.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startServer } from './server_process.mjs';

// Prism would respond to requests without credentials itself: the service's own response is to be judged.
function withoutSecurity(document) {
  const copy = structuredClone(document);
  delete copy.security;
  for (const item of Object.values(copy.paths)) {
    for (const operation of Object.values(item)) delete operation.security;
  }
  return copy;
}

/** The errors that prism reports instead of an invalid response. */
export async function violationOf(response) {
  const text = await response.clone().text();
  return text.includes('prism/errors#VIOLATIONS') ? text : undefined;
}

/** Requests are not validated, because some are invalid on purpose. An invalid response becomes an error. */
export async function startPrism(prism, document, upstream) {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-prism-'));
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(withoutSecurity(document)));
  const options = ['--errors', '--validate-request=false'];
  const server = await startServer(process.execPath, [prism, 'proxy', file, upstream, ...options], folder);
  return {
    url: server.url,
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
