import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { runToEnd } from './child-process.ts';
import { toolPath } from './tools.ts';
import { type Manifest, typeMistakes } from './typed-manifests.ts';

const FOLDER = join(import.meta.dirname, '../../config/kubernetes');

async function built(): Promise<Manifest[]> {
  const { code, stdout, stderr } = await runToEnd({
    path: toolPath('kubectl'),
    args: ['kustomize', FOLDER],
  });
  if (code !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}

it("builds all plain manifests, and Kubernetes' types have nothing against them", async () => {
  const manifests = await built();
  expect(manifests.map(({ kind }) => kind).sort()).toEqual([
    'ConfigMap',
    'Deployment',
    'NetworkPolicy',
    'PersistentVolumeClaim',
    'PrometheusRule',
    'Service',
    'ServiceMonitor',
  ]);
  expect(await typeMistakes(manifests)).toBe('');
});

it('leaves no manifest of the folder out', async () => {
  const names = readdirSync(FOLDER).filter((name) => name !== 'kustomization.yaml');
  const kinds = new Set((await built()).map(({ metadata }) => metadata.name));
  expect(names.sort()).toEqual([
    'edge-exporter.yaml',
    'network-policy.yaml',
    'prometheus-rule.yaml',
    'service-monitor.yaml',
  ]);
  expect([...kinds]).toEqual(['edge-exporter']);
});
