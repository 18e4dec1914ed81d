import { ACCOUNT, of } from './query.ts';

/** Trouble of the data, with advice for the operator. */
export interface Trouble {
  /** Query that returns samples only during the trouble. */
  readonly while: string;
  readonly says: string;
  readonly next: string;
  readonly act: keyof typeof ACT;
}

export const ACT = { now: 2, soon: 1, 'just wait': 0 } as const;

type Words = Omit<Trouble, 'while'>;

const SEE_WHICH = 'The status page shows what each job waits for';

/** Texts for dashboards, by the label `cause` of `edge_trouble_info`. */
export const OF_CAUSES = {
  unauthorized: {
    says: 'no new data: the platform refuses the token',
    next: 'Renew the credentials. The exporter reads a token file again by itself',
    act: 'now',
  },
  unreachable: {
    says: 'no new data: the platform cannot be reached, or another server answers',
    next: 'Run edge-exporter doctor: it finds the failing step (name, network, proxy, TLS or address)',
    act: 'now',
  },
  server_error: {
    says: 'the platform answers with errors',
    next: 'See the platform’s own status page. Polling continues, and counters catch up',
    act: 'just wait',
  },
  rate_limited: {
    says: 'the platform refuses operations (429)',
    next: 'Requests continue when the platform allows them. If this lasts, give the exporter its own token',
    act: 'soon',
  },
  forbidden: {
    says: 'the token lacks a permission for something that is configured',
    next: 'Run edge-exporter doctor to list the missing permissions, and grant them to the token’s user',
    act: 'soon',
  },
  not_found: {
    says: 'the platform does not have something that is configured',
    next: 'See its name on the status page. Remove it from the configuration, or correct the path in api_url',
    act: 'soon',
  },
  'not_acceptable|timeout|network|undecodable': {
    says: 'some reads fail',
    next: 'The status page shows which and why. Run edge-exporter doctor to find the failing step',
    act: 'soon',
  },
  quota: {
    says: 'polls wait for the quota, so data arrives later than planned',
    next: 'The status page shows whether other clients use the quota. Run edge-exporter plan to see what uses it',
    act: 'soon',
  },
  not_read_yet: {
    says: 'a part has not been read yet',
    next: 'The status page shows how much is left, and until when. Run edge-exporter plan to see what uses the quota',
    act: 'just wait',
  },
  platform_late: {
    says: 'data is late, although the platform answers',
    next: `${SEE_WHICH}. Stale gauges disappear; no value is wrong`,
    act: 'just wait',
  },
  exporter_late: {
    says: 'data is late because the exporter does not keep up',
    next: `${SEE_WHICH}. More CPU or a higher request.concurrency may help`,
    act: 'soon',
  },
  nothing_there: {
    says: 'no data: the platform has nothing that the configuration names',
    next: 'Check the account, and the names in configurations.include',
    act: 'soon',
  },
  counters_behind: {
    says: 'counters are behind',
    next: 'The exporter reads the missing data again as soon as possible. Until then increase() is too small',
    act: 'just wait',
  },
  rows_missing: {
    says: 'the platform’s answers lack a part of the data, so sums are too small',
    next: 'The status page shows how much is missing, and where. Ask the platform’s support for the rows',
    act: 'soon',
  },
  clock: {
    says: 'the clock of the exporter’s machine is wrong',
    next: 'Synchronize it (NTP). The exporter polls by the platform’s clock, so no data is lost',
    act: 'soon',
  },
  platform_clock: {
    says: 'the platform’s clock has moved',
    next: 'Do not change this machine’s clock. Report it to the platform: ages of data are wrong by the same amount',
    act: 'soon',
  },
} as const satisfies Readonly<Record<string, Words>>;

/** Returns a query for the accounts that have one of these causes. `causes` is a regular expression. */
export function accountsWith(causes: string): string {
  return of('edge_trouble_info', ACCOUNT, `cause=~"${causes}"`);
}

const OF_ACCOUNTS = Object.entries(OF_CAUSES).map(
  ([cause, words]): Trouble => ({ while: accountsWith(cause), ...words }),
);

const OF_EXPORTERS: readonly Trouble[] = [
  {
    // The trouble appears at once. The alert waits until a new version has replaced the old one.
    while: of('ALERTS', 'alertname="EdgeAccountPolledTwice"', ACCOUNT),
    says: 'two exporters poll it: they use the quota twice, and your own sums may be doubled',
    next: 'See the targets on the Overview under “What fires now”. Stop one, unless both are intended',
    act: 'soon',
  },
  {
    while: 'label_replace(edge_exporter_state_durable == 0, "account", "all of $1", "instance", "(.*)")',
    says: 'the state cannot be used, so the exporter withholds counters',
    next: 'Make the directory writable, free disk space, or restore the database. Counters then continue',
    act: 'soon',
  },
  {
    while:
      'label_replace(increase(edge_exporter_state_errors_total[3m]) > 0 unless on (job, instance) edge_exporter_state_durable == 0, "account", "all of $1", "instance", "(.*)")',
    says: 'the state cannot be written, so counters do not rise',
    next: 'Free disk space, or make the directory writable. Counters then catch up. Gauges are not affected',
    act: 'soon',
  },
  {
    while: `label_replace(absent(${of('edge_up', ACCOUNT)}), "account", "none", "", "")`,
    says: 'no data: Prometheus scrapes no exporter with such an account',
    next: 'Start the exporter, or correct the scrape configuration',
    act: 'now',
  },
];

export const DATA_TROUBLES = [...OF_ACCOUNTS, ...OF_EXPORTERS];
