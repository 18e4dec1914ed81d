import { expect, it, onTestFinished } from 'vitest';
import { DEFAULT_TOKEN } from '../../src/sandbox/sandbox.ts';
import { eventually } from '../eventually.ts';
import type { RunningProcess } from './child-process.ts';
import { configFile } from './config-file.ts';
import { launchExporter, listeningAddress } from './exporter-process.ts';
import { timeToEnd } from './time-to-end.ts';

const ACCOUNTS = 300;
const SCRAPERS = 8;

async function launch() {
  const url = await startPlatform();
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ({
    name: `account-${index}`,
    api_url: url,
    allow_http: true,
    token: DEFAULT_TOKEN.token,
  }));
  const { path } = await configFile({ accounts });
  const exporter = await launchExporter({
    args: [`--config.file=${path}`, '--web.listen-address=127.0.0.1:0'],
  });
  onTestFinished(async () => void (await exporter.stop()));
  return { exporter, url: await addressOf(exporter) };
}

/**
 * Starts the embedded platform in a separate process, so that this process notices at once when the exporter
 * ends.
 */
async function startPlatform(): Promise<string> {
  const { path } = await configFile({ rate_limit: { reads: 20_000, writes: 20, purges: 20 } });
  const platform = await launchExporter({
    args: ['sandbox', `--sandbox.config.file=${path}`, '--sandbox.listen-address=127.0.0.1:0'],
  });
  onTestFinished(async () => void (await platform.stop()));
  const address = () => /embedded platform at (http:[^,]+),/.exec(platform.output())?.[1];
  return eventually('the platform listens', address, { evidence: platform.output });
}

function addressOf({ output }: RunningProcess): Promise<string> {
  return eventually('it listens', () => listeningAddress(output()), { evidence: output });
}

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
  const { ending, ms } = await timeToEnd(exporter, 'SIGTERM');
  expect(ending).toMatchObject({ code: 0, signal: null });
  expect(ms).toBeLessThan(5_000);
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
    evidence: exporter.output,
  });
  const { ending, ms } = await timeToEnd(exporter, 'SIGTERM');
  expect(ending).toMatchObject({ code: 0, signal: null });
  expect(ms).toBeLessThan(5_000);
  await Promise.all(scrapers);
});
