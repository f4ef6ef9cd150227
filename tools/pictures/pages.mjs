// Photographs the pages that a browser shows: pages.mjs BUILD OUT
//   viewer.png   the page of the orders sample, with the form of an operation
//   dev.png      what `fairway dev` shows while a route file has an error
//   requests.png the page of requests of `fairway dev`, with a request of the orders sample
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
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
    await waitForPort(port, child);
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

async function requests() {
  const folder = join(tmpdir(), 'orders');
  if (existsSync(folder)) throw new Error(`${folder} exists`);
  try {
    // The program is built already: the project only starts it.
    for (const name of ['config', 'locales'])
      cpSync(join('samples/orders', name), join(folder, name), { recursive: true });
    const program = JSON.stringify(realpathSync(join(build, 'samples/orders/orders')));
    writeFileSync(
      join(folder, 'CMakeLists.txt'),
      'cmake_minimum_required(VERSION 3.25)\nproject(orders LANGUAGES C)\nadd_executable(orders main.c)\n',
    );
    writeFileSync(
      join(folder, 'main.c'),
      `#include <unistd.h>\nint main(int count, char** arguments) {\n  (void)count;\n  return execv(${program}, arguments);\n}\n`,
    );
    const port = await freePort();
    const fairway = realpathSync(join(build, 'compiler/fairway'));
    const child = spawn(fairway, ['dev', '--port', String(port)], { cwd: folder, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    await waitForPort(port, child);
    const url = `http://127.0.0.1:${port}`;
    const send = (path, body) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: 'Bearer demo-clerk-token' },
        body: JSON.stringify(body),
      });
    const customer = {
      name: 'Ada',
      email: 'ada@example.com',
      address: { street: 'St James Square 12', city: 'London' },
    };
    await fetch(`${url}/products?category=books`);
    const placed = await send('/customers', customer);
    if (placed.status !== 201) throw new Error(await placed.text());
    await send('/customers', customer);
    await send('/orders', { customerId: 1, items: [{ productId: 1, quantity: 0 }] });
    await fetch(`${url}/orders/7`);
    const page = await browser.newPage({ viewport: { width: 1240, height: 640 } });
    await page.goto(`${url}/.fairway/dev/requests`);
    await page.locator('#rows tr', { hasText: '201' }).click();
    await page.locator('#log').waitFor();
    await page.screenshot({ path: join(out, 'requests.png') });
    child.kill('SIGINT');
    await ended;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

mkdirSync(out, { recursive: true });
try {
  await requests();
  await viewer();
  await dev();
} finally {
  await browser.close();
}
