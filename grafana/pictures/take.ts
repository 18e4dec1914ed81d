import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { toolPath } from '../../test/end-to-end/tools.ts';
import type { DashboardJson } from './dashboard.ts';
import type { Picture } from './picture.ts';

const WIDTH = 1600;
const EMPTY = '<!doctype html><meta charset="utf-8"><style>body{margin:0}</style><body>';
const HOUR = 3_600_000;

const CHOSEN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  configuration: { account: 'production', product: '.+', configuration: 'shop' },
};

const HOURS: Readonly<Record<string, number>> = { exporter: 0.5 };

const { PICTURES: folder = 'grafana' } = process.env;

const [, , prometheus = 'http://127.0.0.1:9090', ...wanted] = process.argv;
const names = wanted.length > 0 ? wanted : ['overview', 'configuration', 'security', 'exporter'];
const browser = await chromium.launch({ executablePath: toolPath('chromium'), args: ['--no-sandbox'] });
try {
  for (const name of names) await take(name);
} finally {
  await browser.close();
}

async function take(name: string): Promise<void> {
  const file = join('grafana', 'dashboards', `${name}.json`);
  const dashboard = JSON.parse(await readFile(file, 'utf8')) as DashboardJson;
  const hours = HOURS[name] ?? Number(/^now-(\d+)h$/.exec(dashboard.time.from)?.[1] ?? 6);
  const to = Date.now();
  const all = { account: '.+', product: '.+', configuration: '.+', job: '.+', instance: '.+' };
  const picture: Picture = {
    dashboard,
    prometheus,
    range: { from: to - hours * HOUR, to, step: hours > 1 ? 60_000 : 15_000 },
    chosen: { ...all, ...CHOSEN[name] },
    width: WIDTH,
  };
  const page = await browser.newPage({ viewport: { width: WIDTH, height: 1000 }, timezoneId: 'UTC' });
  page.on('pageerror', (error) => process.stderr.write(`${name}: ${error.message}\n`));
  page.on('console', (message) => {
    if (message.type() === 'error') process.stderr.write(`${name}: ${message.text()}\n`);
  });
  // An empty page of Prometheus' origin can query it, and has the local storage that Grafana's components
  // need.
  const address = `${prometheus}/picture`;
  await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: EMPTY }));
  await page.goto(address);
  await page.route('**/public/**', (route) => route.fulfill({ path: assetPath(route.request().url()) }));
  await page.addStyleTag({ path: join('.cache', 'pictures', 'page.css') });
  await page.addScriptTag({ path: join('.cache', 'pictures', 'page.js') });
  await page.evaluate(
    (given) => (globalThis as unknown as { draw(p: Picture): Promise<void> }).draw(given),
    picture,
  );
  // Graphs measure their text before they draw.
  await page.waitForTimeout(2_500);
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  await page.close();
}

function assetPath(url: string): string {
  const packages = join('grafana', 'pictures', 'node_modules');
  const path = new URL(url).pathname.replace(/^.*\/public\//, '');
  if (!path.startsWith('fonts/')) return join(packages, '@grafana', 'ui', 'dist', 'public', path);
  const weight = path.includes('Medium') ? 500 : 400;
  return join(packages, '@fontsource', 'inter', 'files', `inter-latin-${weight}-normal.woff2`);
}
