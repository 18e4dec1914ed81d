import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { FLAGS } from '../src/exporter/command-line/flags.ts';
import type {
  Compose,
  DashboardProvisioning,
  DatasourceProvisioning,
  KubernetesManifests,
  PrometheusConfig,
  ServiceMonitor,
} from './manifest-shapes.ts';

const CONFIG = join(import.meta.dirname, '..', 'config');

function documents<Documents extends readonly unknown[]>(...path: string[]): Documents {
  const parsed = parseAllDocuments(readFileSync(join(CONFIG, ...path), 'utf8'));
  if (!Array.isArray(parsed)) throw new Error(`${path.join('/')} is empty`);
  const values: unknown = parsed.map((document) => {
    expect([...document.errors, ...document.warnings]).toEqual([]);
    return document.toJS();
  });
  return values as Documents;
}

const port = Number(FLAGS['web.listen-address'].default.replace(':', ''));

describe('the manifests for Kubernetes', () => {
  const manifests = documents<KubernetesManifests>('kubernetes', 'edge-exporter.yaml');
  const [configMap, claim, deployment, service] = manifests;
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;

  it('are one set, with the labels by which they find each other', () => {
    expect(manifests.map(({ kind }) => kind)).toEqual([
      'ConfigMap',
      'PersistentVolumeClaim',
      'Deployment',
      'Service',
    ]);
    const { labels } = deployment.spec.template.metadata;
    expect(deployment.spec.selector.matchLabels).toEqual(labels);
    expect(service.spec.selector).toEqual(labels);
    const [monitor] = documents<[ServiceMonitor]>('kubernetes', 'service-monitor.yaml');
    expect(monitor.spec.selector.matchLabels).toEqual(service.metadata.labels);
    expect(monitor.spec.endpoints[0].port).toBe(service.spec.ports[0].name);
  });

  it('never let two exporters spend one quota or share one state', () => {
    expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  });

  it('run it without privileges, and write only to the state', () => {
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000, fsGroup: 1000 });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const writable = container.volumeMounts.filter(({ readOnly }) => !readOnly);
    expect(writable).toEqual([{ name: 'state', mountPath: '/state' }]);
    expect(pod.volumes).toContainEqual({
      name: 'state',
      persistentVolumeClaim: { claimName: claim.metadata.name },
    });
  });

  it('give the token to its user and group alone', () => {
    const volume = pod.volumes.find(({ secret }) => secret);
    expect(volume?.secret?.defaultMode).toBe(0o440);
    expect(JSON.stringify(manifests)).not.toMatch(/"token":/);
  });

  it('probe and serve the default port', () => {
    const [named] = container.ports;
    expect(named).toEqual({ name: 'metrics', containerPort: port });
    expect(service.spec.ports).toEqual([{ name: 'metrics', port, targetPort: named.name }]);
    expect(container.livenessProbe.httpGet).toEqual({ path: '/-/healthy', port: named.name });
    expect(container.readinessProbe.httpGet).toEqual({ path: '/-/ready', port: named.name });
  });

  it('mount the configuration and the token where the flags and the configuration look for them', () => {
    const at = (name: string) => container.volumeMounts.find((mount) => mount.name === name)?.mountPath;
    const [file] = Object.keys(configMap.data);
    expect(container.args).toContain(`--config.file=${at('config')}/${file}`);
    expect(configMap.data[file ?? '']).toContain(`token_file: ${at('token')}/token`);
  });
});

describe('the compose file', () => {
  const [compose] = documents<[Compose]>('compose.yaml');
  const services = Object.entries(compose.services);

  it('pins its images and builds the exporter from here', () => {
    const images = services.flatMap(([, { image }]) => image ?? []);
    expect(images).toHaveLength(3);
    for (const image of images) expect(image).toMatch(/:v?\d+\.\d+\.\d+$/);
    expect(
      existsSync(join(CONFIG, compose.services['edge-exporter']?.build ?? 'nowhere', 'Dockerfile')),
    ).toBe(true);
  });

  it('is reached from this machine only', () => {
    for (const [name, { ports }] of services) {
      for (const mapping of ports) expect(mapping, name).toMatch(/^127\.0\.0\.1:(\d+):\1$/);
    }
  });

  it('mounts only what exists, read-only, and volumes that it declares', () => {
    for (const [source = '', , mode] of services.flatMap(([, { volumes }]) =>
      volumes.map((text) => text.split(':')),
    )) {
      if (!source.startsWith('.')) expect(Object.keys(compose.volumes)).toContain(source);
      else expect([existsSync(join(CONFIG, source)), mode], source).toEqual([true, 'ro']);
    }
  });

  it('lets the parts find each other by name and port', () => {
    const [prometheus] = documents<[PrometheusConfig]>('prometheus', 'prometheus.yml');
    const targets = prometheus.scrape_configs[0].static_configs[0].targets;
    const alertmanagers = prometheus.alerting.alertmanagers[0].static_configs[0].targets;
    const [datasource] = documents<[DatasourceProvisioning]>(
      '..',
      'grafana',
      'provisioning',
      'datasources',
      'prometheus.yaml',
    );
    const addresses = [...targets, ...alertmanagers, new URL(datasource.datasources[0].url).host];
    for (const [name, number] of addresses.map((address) => address.split(':'))) {
      expect(compose.services[name ?? '']?.ports, name).toContain(`127.0.0.1:${number}:${number}`);
    }
  });

  it("provisions Grafana's dashboards from the folder that it mounts", () => {
    const [provider] = documents<[DashboardProvisioning]>(
      '..',
      'grafana',
      'provisioning',
      'dashboards',
      'edge.yaml',
    );
    expect(compose.services['grafana']?.volumes).toContain(
      `../grafana/dashboards:${provider.providers[0].options.path}:ro`,
    );
    const [datasource] = documents<[DatasourceProvisioning]>(
      '..',
      'grafana',
      'provisioning',
      'datasources',
      'prometheus.yaml',
    );
    const [prometheus] = documents<[PrometheusConfig]>('prometheus', 'prometheus.yml');
    expect(datasource.datasources[0].jsonData.timeInterval).toBe(
      prometheus.scrape_configs[0].scrape_interval,
    );
  });
});
