import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { workingFolder } from './debian-packages.ts';
import { startServer } from './server-process.ts';

/** Real Alertmanager process. */
export interface Alertmanager {
  readonly url: string;
  readonly log: () => string;
  /** Sends alerts as Prometheus does. */
  readonly send: (alerts: readonly SentAlert[]) => Promise<void>;
  /** Returns the current alerts with their silences and inhibitions. */
  readonly alerts: () => Promise<HeldAlert[]>;
  readonly stop: () => Promise<void>;
}

/** Alert as Prometheus sends it. */
export interface SentAlert {
  readonly labels: Readonly<Record<string, string>>;
  /** Start time (ISO 8601); undefined: the time at which the alert arrives. */
  readonly startsAt?: string;
  readonly endsAt?: string;
}

/** Alert as Alertmanager returns it. */
export interface HeldAlert {
  readonly fingerprint: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly status: {
    readonly state: 'unprocessed' | 'active' | 'suppressed';
    readonly inhibitedBy: readonly string[];
    readonly silencedBy: readonly string[];
  };
}

/** Starts an Alertmanager with a configuration, as YAML text or as an object. */
export async function startAlertmanager(config: string | object): Promise<Alertmanager> {
  const server = await startServer({
    tool: 'alertmanager',
    ready: '/-/ready',
    cwd: workingFolder('prometheus-alertmanager'),
    async args(address, folder) {
      const file = join(folder, 'alertmanager.yml');
      await writeFile(file, typeof config === 'string' ? config : stringify(config));
      return [
        `--config.file=${file}`,
        `--storage.path=${join(folder, 'data')}`,
        `--web.listen-address=${address}`,
        // Disables clustering, whose port would be the same for all instances.
        '--cluster.listen-address=',
      ];
    },
  });
  const alerts = `${server.url}/api/v2/alerts`;
  return {
    url: server.url,
    log: server.process.output,
    stop: server.stop,
    alerts: async () => (await (await fetch(alerts)).json()) as HeldAlert[],
    async send(list) {
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(alerts, { method: 'POST', headers, body: JSON.stringify(list) });
      if (!response.ok) throw new Error(`the alerts were refused: ${await response.text()}`);
    },
  };
}
