// Photographs the pages that a browser shows: pages.mjs BUILD OUT
//   viewer.png   the page of the orders sample, with the form of an operation
//   dev.png      what `fairway dev` shows while a route file has an error
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { launchBrowser } from '../../tests/e2e/support/browser.mjs';
import { startOrders } from '../../tests/e2e/support/orders_sample.mjs';
import { freePort, waitForPort } from '../../tests/e2e/support/server_process.mjs';

const [build, out] = process.argv.slice(2);
const browser = await launchBrowser(['/usr/bin/chromium', '/usr/bin/chromium-headless-shell'].find(existsSync));

async function viewer() {
  const sample = await startOrders(join(build, 'samples/orders/orders'), 'samples/orders', ['--config', 'development']);
  const page = await browser.newPage({ viewport: { width: 1100, height: 900 } });
  await page.goto(`${sample.url}/docs`);
  const operation = page.locator('.opblock-post', { has: page.locator('[data-path="/orders"]') });
  await operation.locator('.opblock-summary').click();
  await operation.locator('.opblock-body').waitFor();
  await operation.evaluate((element) => element.scrollIntoView());
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(out, 'viewer.png') });
  await sample.stop();
}

async function dev() {
  const prefix = join(build, 'tests/consumer/prefix');
  // The page shows the path of the file.
  const folder = join(tmpdir(), 'shop');
  if (existsSync(folder)) throw new Error(`${folder} exists`);
  try {
    const fairway = join(prefix, 'bin/fairway');
    spawnSync(fairway, ['new', folder, '--template', 'minimal'], { stdio: ['ignore', 'ignore', 'inherit'] });
    const route = join(folder, 'src/routes/hello.cpp');
    const misspell = (from, to) => writeFileSync(route, readFileSync(route, 'utf8').replace(`"${from}:`, `"${to}:`));
    misspell('string', 'strin');
    const port = await freePort();
    const child = spawn(fairway, ['dev', '--port', String(port)], {
      cwd: folder,
      env: { ...process.env, CMAKE_PREFIX_PATH: prefix },
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    await waitForPort(port, () => child.exitCode !== null);
    const page = await browser.newPage({ viewport: { width: 900, height: 330 } });
    await page.goto(`http://127.0.0.1:${port}/hello/Ada`, { timeout: 180_000 });
    // The first builds also configure and compile; the picture is of a later one, as most are.
    let shown = 'strin';
    for (const next of ['sting', 'srting', 'strng', '']) {
      await page.waitForSelector(`pre:has-text('"${shown}:')`, { timeout: 180_000 });
      if (next) misspell(shown, next);
      shown = next;
    }
    await page.screenshot({ path: join(out, 'dev.png') });
    child.kill('SIGINT');
    await ended;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

mkdirSync(out, { recursive: true });
try {
  await viewer();
  await dev();
} finally {
  await browser.close();
}
