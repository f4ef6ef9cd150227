// A browser for the tests of pages.
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../../tools/npm/', import.meta.url));
const { chromium } = require('playwright-core');

/** Starts the Chromium at `executable`. */
export function launchBrowser(executable) {
  // The sandbox of the browser needs rights that containers do not give.
  return chromium.launch({ executablePath: executable, args: ['--no-sandbox'] });
}

/** Adds to `complaints` what scripts of the page throw, and the errors that the browser logs. */
export function collectComplaints(page, complaints) {
  page.on('console', (message) => {
    // The browser logs each response whose status is an error of the client.
    if (message.type() === 'error' && !message.text().includes('status of 4')) {
      complaints.push(message.text());
    }
  });
  page.on('pageerror', (error) => complaints.push(error.message));
}
