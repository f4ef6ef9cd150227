// A PostgreSQL server of a test: a new cluster with a socket in its own directory, and no port.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const kVersions = '/usr/lib/postgresql'; // Debian has the programs of each version in a folder of its own

/** { url, stop }, or undefined if no server is installed. */
export function startPostgres() {
  const versions = existsSync(kVersions) ? readdirSync(kVersions) : [];
  const programs = versions.map((name) => join(kVersions, name, 'bin')).find((bin) => existsSync(join(bin, 'initdb')));
  if (!programs) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'fairway-postgres-'));
  const data = join(folder, 'data');
  // PostgreSQL does not run as root: Debian's package has a user for it.
  const user = process.getuid() === 0 ? ['runuser', '-u', 'postgres', '--'] : [];
  if (user.length > 0) execFileSync('chown', ['postgres', folder]);
  const command = (program, ...options) => [...user, join(programs, program), ...options];
  const run = ([program, ...options]) => execFileSync(program, options, { cwd: folder, stdio: 'ignore' });
  run(command('initdb', '--auth=trust', '--no-sync', '--username=test', '-D', data));
  const settings = `-c listen_addresses='' -c fsync=off -k ${folder}`;
  run(command('pg_ctl', '--wait', '-D', data, '-l', join(data, 'log'), '-o', settings, 'start'));
  return {
    url: `host=${folder} user=test dbname=postgres`,
    stop() {
      const [program, ...options] = command('pg_ctl', '-m', 'immediate', '-D', data, 'stop');
      spawnSync(program, options, { cwd: folder, stdio: 'ignore' });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
