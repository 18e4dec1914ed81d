import { expect, it, onTestFinished } from 'vitest';
import { DEFAULT_TOKEN } from '../../src/sandbox/sandbox.ts';
import { eventually } from '../eventually.ts';
import { configFile } from './config-file.ts';
import { launchExporter, listeningAddress } from './exporter-process.ts';
import { serveSandbox } from './platform.ts';

const ACCOUNTS = 300;
const SCRAPERS = 8;

/** An exporter of hundreds of accounts that collect everything, which has just begun to listen. */
async function launch() {
  const sandbox = await serveSandbox();
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ({
    name: `account-${index}`,
    api_url: sandbox.url,
    allow_http: true,
    token: DEFAULT_TOKEN.token,
  }));
  const { path } = await configFile({ accounts });
  const exporter = await launchExporter({
    args: [`--config.file=${path}`, '--web.listen-address=127.0.0.1:0'],
  });
  onTestFinished(async () => void (await exporter.stop()));
  const url = await eventually('it listens', () => listeningAddress(exporter.output()), {
    within: 60_000,
    evidence: exporter.output,
  });
  return { exporter, url };
}

/** Scrapes one time after another until the exporter has gone, and tells of each scrape that was answered. */
async function scrapeOn(url: string, running: () => boolean, scraped: () => void): Promise<void> {
  while (running()) {
    const answered = await fetch(`${url}/metrics`)
      .then(async (response) => (await response.arrayBuffer()).byteLength > 0)
      .catch(() => false);
    if (answered) scraped();
    else await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

it('ends within 5 s of SIGTERM while it starts hundreds of accounts', async () => {
  const { exporter } = await launch();
  const asked = performance.now();
  exporter.kill('SIGTERM');
  expect(await exporter.ended).toMatchObject({ code: 0, signal: null });
  expect(performance.now() - asked).toBeLessThan(5_000);
});

it('ends within 5 s of SIGTERM while hundreds of accounts are polled and eight scrapers scrape', async () => {
  const { exporter, url } = await launch();
  let scrapes = 0;
  const scrapers = Array.from({ length: SCRAPERS }, () =>
    scrapeOn(url, exporter.running, () => {
      scrapes += 1;
    }),
  );
  await eventually('it is scraped while it polls', () => scrapes >= 5 * SCRAPERS, {
    within: 90_000,
    evidence: exporter.output,
  });
  const asked = performance.now();
  exporter.kill('SIGTERM');
  expect(await exporter.ended).toMatchObject({ code: 0, signal: null });
  expect(performance.now() - asked).toBeLessThan(5_000);
  await Promise.all(scrapers);
});
