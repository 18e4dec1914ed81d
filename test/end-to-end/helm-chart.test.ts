import { readdirSync, readFileSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { loadConfig } from '../../src/exporter/configuration/config.ts';
import { configJsonSchema } from '../../src/exporter/configuration/schema.ts';
import { runToEnd } from './child-process.ts';
import { configFile, temporaryFolder } from './config-file.ts';
import { everyKey } from './every-key.ts';
import { ECONOMICAL, promtool } from './promtool.ts';
import { toolPath } from './tools.ts';
import { type Manifest, typeMistakes } from './typed-manifests.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CHART = join(ROOT, 'config', 'helm', 'edge-exporter');

const ACCOUNT = {
  name: 'production',
  api_url: 'https://api.example.net',
  token_file: '/run/secrets/edge-exporter/token',
};
const LEAST = { config: { accounts: [ACCOUNT] }, secret: { name: 'edge-token' } };
const EVERYTHING = {
  ...LEAST,
  image: { repository: 'registry.example.net/edge', digest: `sha256:${'0'.repeat(64)}` },
  imagePullSecrets: [{ name: 'registry' }],
  web: { secretName: 'web' },
  extraArgs: ['--log.level=debug'],
  extraEnv: [{ name: 'HTTPS_PROXY', value: 'http://proxy.example.net:3128' }],
  extraEnvFrom: [{ secretRef: { name: 'more' } }],
  extraVolumes: [{ name: 'ca', configMap: { name: 'company-ca' } }],
  extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/company-ca', readOnly: true }],
  persistence: { storageClassName: 'fast', size: '2Gi', annotations: { keep: 'forever' } },
  service: { annotations: { a: 'b' } },
  podAnnotations: { a: 'b' },
  podLabels: { team: 'edge' },
  nodeSelector: { 'kubernetes.io/arch': 'arm64' },
  tolerations: [{ key: 'edge', operator: 'Exists' }],
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  priorityClassName: 'monitoring',
  serviceMonitor: {
    enabled: true,
    labels: { release: 'prometheus' },
    scheme: 'https',
    tlsConfig: { insecureSkipVerify: false },
    basicAuth: { username: { name: 'web', key: 'user' } },
    relabelings: [{ action: 'labeldrop', regex: 'pod' }],
    metricRelabelings: [{ action: 'drop', regex: 'x', sourceLabels: ['__name__'] }],
  },
  prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  dashboards: { enabled: true, annotations: { grafana_folder: 'Edge' } },
  networkPolicy: {
    enabled: true,
    from: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }],
    egressPorts: [443, 3128],
  },
  podDisruptionBudget: { enabled: true },
};

const REPLICAS = {
  ...LEAST,
  database: { url: 'postgres://exporter@db/edge?sslmode=verify-full', passwordKey: 'database-password' },
  podDisruptionBudget: { enabled: true },
};

const SHARDS = { ...EVERYTHING, shards: 5 };

async function helm(command: readonly string[], values: object, chart = CHART) {
  const file = join(await temporaryFolder(), 'values.yaml');
  await writeFile(file, stringify(values));
  return runToEnd({
    path: toolPath('helm'),
    args: [...command, chart, '--values', file],
    env: { ...process.env, ...ECONOMICAL },
  });
}

async function rendered(values: object, release = 'edge-exporter', chart = CHART): Promise<Manifest[]> {
  const { code, stdout, stderr } = await helm(['template', release], values, chart);
  if (code !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout).map((document) => {
    expect([...document.errors, ...document.warnings]).toEqual([]);
    return document.toJS() as Manifest;
  });
}

function ofKind(manifests: readonly Manifest[], kind: string) {
  // biome-ignore lint/suspicious/noExplicitAny: manifests have been checked against Kubernetes' types; here is what they say.
  return manifests.filter((manifest) => manifest.kind === kind) as any[];
}

describe.each([
  ['the least values', LEAST],
  ['all values', EVERYTHING],
  ['the embedded platform', { sandbox: true, persistence: { enabled: false } }],
  ['replicas on a database', REPLICAS],
  ['shards', SHARDS],
  ['shards without volumes', { ...LEAST, shards: 2, persistence: { enabled: false } }],
  [
    'a ConfigMap and a claim that exist',
    { existingConfigMap: 'mine', persistence: { existingClaim: 'mine' } },
  ],
])('the chart with %s', (_, values) => {
  it("renders what Helm's linter and Kubernetes' types have nothing against", async () => {
    const { code, stdout, stderr } = await helm(['lint', '--strict'], values);
    expect(code, stdout + stderr).toBe(0);
    expect(await typeMistakes(await rendered(values))).toBe('');
  });
});

it('tells a manifest with a wrong key from a right one, or the tests above would say nothing', async () => {
  const [service] = ofKind(await rendered(LEAST), 'Service');
  expect(await typeMistakes([{ ...service, spec: { ...service.spec, prots: [] } }])).toContain('"prots"');
});

describe('the chart', () => {
  it('gives the configuration to the exporter as it was written', async () => {
    const [configMap] = ofKind(await rendered(LEAST), 'ConfigMap');
    const file = await configFile(configMap.data['exporter.yaml']);
    expect(await loadConfig({ file: file.path, env: {} })).toMatchObject({
      ok: true,
      config: { accounts: [{ name: 'production', credentials: { path: ACCOUNT.token_file } }] },
    });
  });

  it('takes every key of the configuration, and hands each on as it was given', async () => {
    const config = everyKey(configJsonSchema());
    expect(config).toMatchObject({
      accounts: [{ name: 'x' }],
      accounts_from: 'x',
      push: [{ kind: 'remote_write' }],
    });
    const [configMap] = ofKind(await rendered({ config }), 'ConfigMap');
    expect(parse(configMap.data['exporter.yaml'])).toEqual(config);
  });

  it('leaves variables of the configuration to the exporter', async () => {
    const variable = (name: string) => `\${${name}}`;
    const texts = ['name', 'api_url', 'source', 'token', 'publish_delay'];
    const account = Object.fromEntries(texts.map((key) => [key, variable(key)]));
    const config = { accounts: [account] };
    const [configMap] = ofKind(await rendered({ config }), 'ConfigMap');
    expect(parse(configMap.data['exporter.yaml'])).toEqual(config);
  });

  it('is a part of an umbrella chart, which tells it whether it is enabled', async () => {
    const umbrella = await temporaryFolder();
    await cp(CHART, join(umbrella, 'charts', 'edge-exporter'), { recursive: true, dereference: true });
    const condition = 'edge-exporter.enabled';
    const dependency = { name: 'edge-exporter', version: '*', repository: '', condition };
    const chart = { apiVersion: 'v2', name: 'umbrella', version: '0.1.0', dependencies: [dependency] };
    await writeFile(join(umbrella, 'Chart.yaml'), stringify(chart));
    const values = (enabled: boolean) => ({ 'edge-exporter': { ...LEAST, enabled } });
    expect(ofKind(await rendered(values(true), 'umbrella', umbrella), 'Deployment')).toHaveLength(1);
    expect(ofKind(await rendered(values(false), 'umbrella', umbrella), 'Deployment')).toEqual([]);
  });

  it('has the same pod as the plain manifests', async () => {
    const text = readFileSync(join(ROOT, 'config/kubernetes/edge-exporter.yaml'), 'utf8');
    const plain = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
    const values = { ...LEAST, secret: { name: 'edge-exporter' } };
    const [theirs, ours] = [plain, await rendered(values)].map(
      (manifests) => ofKind(manifests, 'Deployment')[0].spec.template.spec,
    );
    const named = (volumes: { name: string }[]) =>
      volumes.map(({ name, ...rest }) => ({ name: name === 'token' ? 'secrets' : name, ...rest }));
    const { imagePullPolicy, ...container } = ours.containers[0];
    expect(imagePullPolicy).toBe('IfNotPresent');
    container.livenessProbe.httpGet.scheme = undefined;
    container.readinessProbe.httpGet.scheme = undefined;
    expect(ours.serviceAccountName).toBe('default');
    expect({ ...ours, serviceAccountName: undefined, containers: [container] }).toEqual({
      ...theirs,
      volumes: named(theirs.volumes),
      containers: [{ ...theirs.containers[0], volumeMounts: named(theirs.containers[0].volumeMounts) }],
    });
  });

  it('runs replicas on a database that are spread over nodes, replaced one by one, and need no volume', async () => {
    const manifests = await rendered(REPLICAS);
    const [{ spec }] = ofKind(manifests, 'Deployment');
    expect(spec).toMatchObject({ replicas: 3, strategy: { type: 'RollingUpdate' } });
    expect(spec.template.spec.topologySpreadConstraints).toHaveLength(1);
    expect(spec.template.spec.containers[0].args).toEqual(
      expect.arrayContaining([
        '--state.url=postgres://exporter@db/edge?sslmode=verify-full',
        '--state.password-file=/run/secrets/edge-exporter/database-password',
      ]),
    );
    expect(ofKind(manifests, 'PersistentVolumeClaim')).toEqual([]);
    expect(ofKind(manifests, 'PodDisruptionBudget')[0].spec.maxUnavailable).toBe(1);
  });

  it('runs shards that know their numbers, each with a volume of its own that outlives the release', async () => {
    const manifests = await rendered(SHARDS);
    expect(ofKind(manifests, 'Deployment')).toEqual([]);
    expect(ofKind(manifests, 'PersistentVolumeClaim')).toEqual([]);
    const [{ spec }] = ofKind(manifests, 'StatefulSet');
    expect(spec).toMatchObject({ replicas: 5, podManagementPolicy: 'Parallel' });
    expect(spec.template.spec.topologySpreadConstraints).toHaveLength(1);
    const [{ args, env, volumeMounts }] = spec.template.spec.containers;
    expect(args).toContain('--shard=$(SHARD)/5');
    const [byIds] = ofKind(await rendered({ ...SHARDS, shardBy: 'configurations' }), 'StatefulSet');
    expect(byIds.spec.template.spec.containers[0].args).toContain('--shard.configurations=$(SHARD)/5');
    expect(env).toContainEqual({
      name: 'SHARD',
      valueFrom: { fieldRef: { fieldPath: "metadata.labels['apps.kubernetes.io/pod-index']" } },
    });
    expect(env).toEqual(expect.arrayContaining(EVERYTHING.extraEnv));
    expect(volumeMounts).toContainEqual({ name: 'state', mountPath: '/state' });
    expect(spec.volumeClaimTemplates).toMatchObject([
      {
        metadata: { name: 'state', annotations: { keep: 'forever' } },
        spec: { storageClassName: 'fast', resources: { requests: { storage: '2Gi' } } },
      },
    ]);
    expect(spec.template.spec.volumes.map(({ name }: { name: string }) => name)).not.toContain('state');
    expect(spec.persistentVolumeClaimRetentionPolicy).toBeUndefined();
    expect(ofKind(manifests, 'PodDisruptionBudget')[0].spec).toMatchObject({ maxUnavailable: 1 });
  });

  it('is scraped under the job name that the alerts know, whatever release and chart are called', async () => {
    const manifests = await rendered({ ...EVERYTHING, nameOverride: 'mine' }, 'other');
    const [monitor] = ofKind(manifests, 'ServiceMonitor');
    const [service] = ofKind(manifests, 'Service');
    expect(service.metadata.labels[monitor.spec.jobLabel]).toBe('edge-exporter');
    expect(service.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels);
    const alerts = readFileSync(join(ROOT, 'config/prometheus/alerts.rules.yml'), 'utf8');
    expect(alerts).toContain('up{job="edge-exporter"}');
  });

  it('refuses a network policy without ports, which would open all of them', async () => {
    const values = { ...LEAST, networkPolicy: { enabled: true, egressPorts: [] } };
    const { code, stderr } = await helm(['template', 'edge-exporter'], values);
    expect([code, stderr]).toEqual([1, expect.stringContaining('egressPorts')]);
  });

  it('leaves the claim with the totals where it is when the release goes', async () => {
    for (const values of [LEAST, EVERYTHING]) {
      const [claim] = ofKind(await rendered(values), 'PersistentVolumeClaim');
      expect(claim.metadata.annotations).toMatchObject({ 'helm.sh/resource-policy': 'keep' });
    }
  });

  it('brings every rule, or the ones that are given', async () => {
    const [rule] = ofKind(await rendered(EVERYTHING), 'PrometheusRule');
    const files = ['alerts', 'recording'].map((name) => `config/prometheus/${name}.rules.yml`);
    const groups = files.flatMap((file) => parse(readFileSync(join(ROOT, file), 'utf8')).groups);
    expect(rule.spec.groups).toEqual(groups);
    const file = join(await temporaryFolder(), 'rules.yml');
    await writeFile(file, stringify(rule.spec));
    expect((await promtool(['check', 'rules', file])).code).toBe(0);
    const own = { enabled: true, groups: [{ name: 'own', rules: [{ record: 'a:b', expr: '1' }] }] };
    const [given] = ofKind(await rendered({ ...LEAST, prometheusRule: own }), 'PrometheusRule');
    expect(given.spec.groups).toEqual(own.groups);
  });

  it("brings every dashboard as it is, with the label that Grafana's sidecar looks for", async () => {
    const maps = ofKind(await rendered(EVERYTHING), 'ConfigMap').filter(
      ({ metadata }) => metadata.labels['grafana_dashboard'] === '1',
    );
    const dashboards = readdirSync(join(ROOT, 'grafana/dashboards'));
    expect(maps.flatMap(({ data }) => Object.keys(data)).sort()).toEqual(
      dashboards.map((name) => `edge-${name}`).sort(),
    );
    for (const [name, text] of maps.flatMap(({ data }) => Object.entries<string>(data))) {
      const original = readFileSync(join(ROOT, 'grafana/dashboards', name.replace('edge-', '')), 'utf8');
      expect(JSON.parse(text)).toEqual(JSON.parse(original));
    }
  });

  it('restarts the pod when the configuration changes, and not otherwise', async () => {
    const sum = async (values: object) =>
      ofKind(await rendered(values), 'Deployment')[0].spec.template.metadata.annotations['checksum/config'];
    const before = await sum(LEAST);
    expect(await sum({ ...LEAST, service: { port: 80 } })).toBe(before);
    expect(await sum({ ...LEAST, config: { accounts: [{ ...ACCOUNT, name: 'other' }] } })).not.toBe(before);
  });

  it.each([
    ['nothing to run', {}, 'give exactly one of config'],
    ['two sources', { ...LEAST, sandbox: true }, 'give exactly one of config'],
    ['an unknown value', { ...LEAST, persistance: {} }, 'persistance'],
    ['an unknown key of the configuration', { config: { ...LEAST.config, pushes: [] } }, 'pushes'],
    ['a bad interval', { ...LEAST, serviceMonitor: { interval: 30 } }, 'interval'],
    ['shards of a database', { ...REPLICAS, shards: 2 }, 'give either shards or database.url'],
    ['one volume for all shards', { ...LEAST, shards: 2, persistence: { existingClaim: 'a' } }, 'its own'],
    ['a port that is none', { ...LEAST, service: { port: 0 } }, 'port'],
  ])('refuses %s', async (_, values, words) => {
    const { code, stderr } = await helm(['template', 'edge-exporter'], values);
    expect(code).not.toBe(0);
    expect(stderr).toContain(words);
  });

  it("is the exporter's version", () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'));
    expect([chart.version, chart.appVersion]).toEqual([version, version]);
  });
});
