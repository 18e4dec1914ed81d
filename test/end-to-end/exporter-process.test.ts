import { expect, it, onTestFinished } from 'vitest';
import { startExporter } from './exporter-process.ts';
import { promtool } from './promtool.ts';

it('serves both formats on the sandbox, to the satisfaction of promtool', async () => {
  const exporter = await startExporter({ args: ['serve', '--sandbox'] });
  onTestFinished(async () => void (await exporter.stop()));
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
