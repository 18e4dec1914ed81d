import { CONFIG, type Config } from '../../exporter/configuration/schema.ts';
import { createSandbox, DEFAULT_TOKEN } from '../../sandbox/sandbox.ts';
import type { Incident } from '../../sandbox/traffic/incidents.ts';
import { DAY, HOUR, MINUTE } from '../shipped/times.ts';

/** Interval (ms) between two incidents, chosen so that they fall on different hours. */
const APART = 27 * HOUR;

/** Rate limits that a demonstration never reaches. With a real limit, 30 days take an hour. */
const AMPLE = { reads: 1_000_000, writes: 100, purges: 100 };

/** Incidents in order, for one configuration after another. */
const INCIDENTS: readonly (Pick<Incident, 'kind' | 'per_minute'> & { readonly lasts: number })[] = [
  { kind: 'waf_attack', per_minute: 900, lasts: 25 * MINUTE },
  { kind: '5xx_spike', per_minute: 250, lasts: 30 * MINUTE },
  { kind: 'waf_attack', per_minute: 400, lasts: 3 * HOUR },
  { kind: 'outage', per_minute: 0, lasts: 40 * MINUTE },
  { kind: 'waf_attack', per_minute: 600, lasts: 20 * MINUTE },
  { kind: '4xx_spike', per_minute: 900, lasts: 45 * MINUTE },
];

/** Running embedded platform with a history. */
export interface Demonstration {
  readonly config: Config;
  /** Incidents with the names of their configurations. */
  readonly incidents: readonly { readonly name: string; readonly incident: Incident }[];
  close(): Promise<void>;
}

/** Starts the embedded platform with incidents in its last three weeks. */
export async function startDemonstration(seed: number, now = Date.now()): Promise<Demonstration> {
  const sandbox = createSandbox({ seed, rateLimit: AMPLE, now: () => now });
  const applications = [...sandbox.account.applications].filter(({ active }) => active);
  const beginning = Math.floor((now - 21 * DAY) / MINUTE) * MINUTE;
  const incidents = [0, 1, 2].flatMap((round) =>
    INCIDENTS.flatMap(({ lasts, ...what }, index) => {
      // An outage is visible only with enough traffic: the first configuration has the most.
      const application = applications[what.kind === 'outage' ? 0 : (round + index) % applications.length];
      if (application === undefined) return [];
      const from = beginning + (round * INCIDENTS.length + index) * APART;
      const { id, name } = application;
      return [{ name, incident: { ...what, configuration: id, from, to: from + lasts } }];
    }),
  );
  for (const { incident } of incidents) sandbox.inject(incident);
  const { url, close } = await sandbox.listen(0, '127.0.0.1');
  const account = { name: 'sandbox', api_url: url, token: DEFAULT_TOKEN.token };
  return { config: CONFIG.parse({ accounts: [account] }), incidents, close };
}
