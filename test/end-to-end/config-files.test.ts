import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { runExporter } from './exporter-process.ts';
import { amtool, promtool } from './promtool.ts';

const CONFIG = join(import.meta.dirname, '..', '..', 'config');

describe('the example files', () => {
  it('of Prometheus pass promtool', async () => {
    const check = await promtool(['check', 'config', join(CONFIG, 'prometheus', 'prometheus.yml')]);
    expect(check, check.stderr).toMatchObject({ code: 0 });
  });

  it('of Alertmanager pass amtool', async () => {
    const check = await amtool(['check-config', join(CONFIG, 'alertmanager.yaml')]);
    expect(check, check.stderr).toMatchObject({ code: 0 });
  });

  it('of Kubernetes hold a configuration that passes check-config', async () => {
    const manifests = parseAllDocuments(
      await readFile(join(CONFIG, 'kubernetes', 'edge-exporter.yaml'), 'utf8'),
    );
    const [configMap]: { data?: Record<string, string> }[] = manifests.map((manifest) => manifest.toJS());
    const folder = await mkdtemp(join(tmpdir(), 'kubernetes-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'exporter.yaml');
    await writeFile(file, configMap?.data?.['exporter.yaml'] ?? '');
    const check = await runExporter({ args: ['check-config', `--config.file=${file}`] });
    expect(check, check.stderr).toMatchObject({ code: 0 });
    expect(check.stdout).toContain('account production at https://api.example.net');
  });
});
