// nginx as a server to compare with.
import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';

/** The command line of an nginx that keeps its files in `folder`; `server` is what its block has beside `root`. */
export function nginxCommand(folder, port, { http = '', listen = '', server = '' }) {
  const file = join(folder, `nginx-${port}.conf`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n');
  writeFileSync(
    file,
    `
    daemon off;
    user ${userInfo().username};
    pid ${folder}/nginx-${port}.pid;
    error_log stderr crit;
    worker_processes auto;
    events { worker_connections 4096; }
    http {
      access_log ${folder}/access.log;
      ${temporary}
      keepalive_requests 100000000;
      ${http}
      server { listen 127.0.0.1:${port} ${listen}; root ${folder}; ${server} }
    }`,
  );
  return ['nginx', '-p', folder, '-c', file];
}
