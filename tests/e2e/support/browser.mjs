// A browser for the tests of pages.
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../../tools/npm/', import.meta.url));
const { chromium } = require('playwright-core');

/** Starts the Chromium at `executable`. Its steps may take minutes, on a busy machine. */
export async function launchBrowser(executable, args = []) {
  const browser = await chromium.launch({
    executablePath: executable,
    // The sandbox of the browser needs rights that containers do not give.
    args: ['--no-sandbox', ...args],
    timeout: 600_000,
  });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(300_000);
    return context;
  };
  return browser;
}

/** What a page is made of, and may not be missing. */
const parts = new Set(['stylesheet', 'script', 'image', 'font']);

/**
 * Adds to `complaints` what scripts of the page throw, the errors that the browser logs, and the parts
 * of the page that the server does not send.
 */
export function collectComplaints(page, complaints) {
  page.on('console', (message) => {
    // The browser logs each response whose status is an error of the client. Pages may have one.
    if (message.type() === 'error' && !message.text().includes('status of 4')) {
      complaints.push(message.text());
    }
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('response', (response) => {
    const type = response.request().resourceType();
    if (response.status() >= 400 && parts.has(type)) {
      complaints.push(`${response.status()} for the ${type} ${response.url()}`);
    }
  });
}
