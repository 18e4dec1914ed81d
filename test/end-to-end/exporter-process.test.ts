import { expect, it, onTestFinished } from 'vitest';
import { type ExporterProcess, runExporter, startExporter } from './exporter-process.ts';
import { startPrometheus } from './prometheus.ts';
import { promtool } from './promtool.ts';
import { timeToEnd } from './time-to-end.ts';

async function startOnSandbox(): Promise<ExporterProcess> {
  const exporter = await startExporter({ args: ['serve', '--sandbox'] });
  onTestFinished(async () => void (await exporter.stop()));
  return exporter;
}

it('serves both formats on the sandbox, to the satisfaction of promtool', async () => {
  const exporter = await startOnSandbox();
  await exporter.ready();
  const text = await exporter.scrape('text');
  expect(text).toMatchObject({
    status: 200,
    contentType: expect.stringContaining('text/plain; version=0.0.4'),
  });
  const openmetrics = await exporter.scrape('openmetrics');
  expect(openmetrics.contentType).toContain('application/openmetrics-text; version=1.0.0');
  expect(openmetrics.body).toMatch(/\n# EOF\n$/);
  expect(await promtool(['check', 'metrics'], text.body)).toMatchObject({ code: 0, stderr: '' });
});

it('is scraped by a real Prometheus', async () => {
  const exporter = await startOnSandbox();
  await exporter.ready();
  const prometheus = await startPrometheus({ jobs: { edge: exporter.target } });
  onTestFinished(() => prometheus.stop());
  await prometheus.scraped('edge');
  expect(await prometheus.value('up{job="edge"}')).toBe(1);
  expect(await prometheus.value('edge_up')).toBe(1);
});

it('ends well and soon upon SIGTERM', async () => {
  const exporter = await startOnSandbox();
  const { ending, ms } = await timeToEnd(exporter.process, 'SIGTERM');
  expect(ending).toMatchObject({ code: 0, signal: null });
  expect(ms).toBeLessThan(5_000);
});

it('gives usage and fails where a flag does not exist', async () => {
  const ending = await runExporter({ args: ['serve', '--no-such-flag'] });
  expect(ending.code).toBe(2);
  expect(ending.stderr).toContain('no-such-flag');
});

it('is not waited for where it has ended instead', async () => {
  const start = startExporter({ args: ['serve', '--no-such-flag'] });
  await expect(start).rejects.toThrow(/^the exporter ended:.*no-such-flag/s);
});
