import { expect, it, onTestFinished } from 'vitest';
import { createSandbox, DEFAULT_TOKEN } from '../../src/sandbox/sandbox.ts';
import { eventually } from '../eventually.ts';
import { configFile } from './config-file.ts';
import { startExporter } from './exporter-process.ts';
import { freePort } from './free-port.ts';
import { AMPLE, serveSandbox } from './platform.ts';

const ACCOUNT = {
  token: DEFAULT_TOKEN.token,
  collectors: { metrics: { products: { edge_applications: { metrics: ['cdn_requests'] } } } },
};

const REASON =
  'account second: the platform has not answered yet: the platform cannot be reached: connection refused';

it('is ready when every account has answered once, and says which one has not', async () => {
  const first = await serveSandbox();
  const port = await freePort();
  const reachable = { name: 'first', api_url: first.url, ...ACCOUNT };
  const unreachable = { name: 'second', api_url: `http://127.0.0.1:${port}`, ...ACCOUNT };
  const config = await configFile({ accounts: [reachable, unreachable] });
  const exporter = await startExporter({
    args: ['serve', `--config.file=${config.path}`, '--web.enable-lifecycle'],
  });
  onTestFinished(async () => void (await exporter.stop()));
  await eventually('the first account is up', async () =>
    (await exporter.scrape()).body.includes('edge_up{account="first"} 1'),
  );

  const told = async () => {
    const answer = await fetch(`${exporter.url}/-/ready`);
    return answer.status === 503 && (await answer.text()) === `not ready\n${REASON}\n`;
  };
  await eventually('the second account was polled in vain', told, { evidence: exporter.process.output });
  expect((await fetch(`${exporter.url}/-/healthy`)).status).toBe(200);
  expect((await exporter.scrape()).body).toContain('edge_up{account="second"} 0');

  const second = await createSandbox({ rateLimit: AMPLE }).listen(port);
  onTestFinished(() => second.close());
  // A changed account is polled immediately. Otherwise the next poll would follow the platform's next bucket.
  await config.write({ accounts: [reachable, { ...unreachable, stale_after: '20m' }] });
  expect((await fetch(`${exporter.url}/-/reload`, { method: 'POST' })).status).toBe(200);
  await exporter.ready();
  expect(await (await fetch(`${exporter.url}/-/ready`)).text()).toBe('ready\n');
});
