import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { Status } from '../src/exporter/status-document.ts';
import { startWeb } from './exporter/web/server-at-hand.ts';

const EXECUTABLE = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const WITHIN_MS = 100_000;

let browser: Browser;

/** Starts a browser for the tests of a file, and closes it after them. */
export function useBrowser(): void {
  beforeAll(async () => {
    if (!existsSync(EXECUTABLE)) {
      throw new Error(
        `no Chromium at ${EXECUTABLE}: install it (apt-get install chromium) or set CHROMIUM_PATH`,
      );
    }
    browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS, timeout: WITHIN_MS });
  });
  afterAll(() => browser?.close());
}

/** Options for opening the status page. */
export interface Visit {
  readonly width?: number;
  readonly scripts?: 'on' | 'off';
  readonly colors?: 'light' | 'dark';
  /** Query of the address, such as `jobs=all`. */
  readonly search?: string;
}

/**
 * Opens the status page in a browser. Returns it with all console messages, errors, dialogs and requests to
 * other hosts.
 */
export async function visit(
  status: () => Status,
  { width = 1400, scripts = 'on', colors = 'light', search = '' }: Visit = {},
) {
  const { web, url } = await startWeb({ status });
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    javaScriptEnabled: scripts === 'on',
    colorScheme: colors,
  });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(WITHIN_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(dialog.message());
    void dialog.dismiss();
  });
  page.on('request', (asked) => {
    if (!asked.url().startsWith(`${url}/`) && asked.url() !== 'data:,') complaints.push(asked.url());
  });
  await page.clock.install();
  await page.goto(`${url}/?${search}`);
  return { web, url, page, complaints };
}
