import { ACCOUNT, largest, now, of, sum } from './query.ts';

/** Something that is wrong, and what an operator does about it. */
export interface Trouble {
  /** Has samples only while it is wrong. */
  readonly while: string;
  readonly says: string;
  readonly next: string;
  readonly act: keyof typeof ACT;
}

export const ACT = { now: 2, soon: 1, 'just wait': 0 } as const;

const UP = of('edge_up', ACCOUNT);
const DOWN = `${UP} == 0`;

/** Accounts of which polls have just failed so: while the platform is down, one is tried every five minutes at least. */
const failed = (outcomes: string): string =>
  `${sum(`increase(${of('edge_exporter_polls_total', ACCOUNT, `outcome=~"${outcomes}"`)}[6m])`, 'account')} > 0`;

const METRIC = 'account,product,metric';
const DATA_UNTIL = of('edge_data_until_timestamp_seconds', ACCOUNT);
/** A metric that is late for long has all its series withdrawn, their age as well: then it is as old as it was last seen to be. */
const KNOWN_UNTIL = `(${now('edge_data_until_timestamp_seconds', ACCOUNT)} or on (${METRIC}) ${largest(`last_over_time(${DATA_UNTIL}[6h])`, METRIC)})`;
/** Series that are as old as the alerts call stale, of metrics that are still read; the alerts tell it minutes later. */
const LATE = `(${KNOWN_UNTIL} < time() - 600) < on (${METRIC}) group_left () (time() - 1.5 * ${largest(of('edge_expected_age_seconds', ACCOUNT), METRIC)})`;

/** Accounts that are down for that, rather than for what tells more: single polls fail for another reason just before. */
export function downBy(outcomes: string, tellsMore?: string): string {
  const unless = tellsMore === undefined ? '' : ` unless on (account) ${failed(tellsMore)}`;
  return `${DOWN} and on (account) ${failed(outcomes)}${unless}`;
}

const refusals = sum(
  `increase(${of('edge_exporter_operations_total', ACCOUNT, 'status="429"')}[15m])`,
  'account',
);

const WITHHELD = 'edge_exporter_state_durable == 0';

/** What keeps an account's data from being complete. */
const OF_ACCOUNTS: readonly Trouble[] = [
  {
    while: downBy('unauthorized'),
    says: 'no new data: the platform refuses the token',
    next: 'Renew the credentials: a token file is read again by itself',
    act: 'now',
  },
  {
    while: downBy('timeout|network', 'unauthorized|server_error'),
    says: 'no new data: the platform cannot be reached',
    next: 'edge-exporter doctor finds where it breaks: name, network, proxy, TLS or address',
    act: 'now',
  },
  {
    while: downBy('server_error', 'unauthorized'),
    says: 'no new data: the platform is down (it answers with errors)',
    next: 'See the platform’s own status page; polling goes on, and counters catch up',
    act: 'just wait',
  },
  {
    while: `${DOWN} unless on (account) ${failed('unauthorized|timeout|network|server_error')}`,
    says: 'no new data: the platform does not answer as it should',
    next: 'The exporter’s status page says why; edge-exporter doctor finds where it breaks',
    act: 'now',
  },
  {
    while: `${refusals} > 0`,
    says: 'operations are refused (429): others use up the token’s quota',
    next: 'Give the exporter a token of its own, or leave more to others with quota.reserve',
    act: 'soon',
  },
  {
    while: `${LATE} and on (account) ${UP} == 1`,
    says: 'data is late, although the platform answers',
    next: 'The exporter’s status page says what each job waits for. Stale gauges are withdrawn, not wrong',
    act: 'just wait',
  },
];

const OF_EXPORTERS: readonly Trouble[] = [
  {
    while: `label_replace(${WITHHELD}, "account", "all of $1", "instance", "(.*)")`,
    says: 'counters are withheld: the state directory cannot be used',
    next: 'Make it exist, writable and with room: counters go on where they were. Gauges are not affected',
    act: 'soon',
  },
  {
    while: `label_replace(absent(${UP}), "account", "none", "", "")`,
    says: 'nothing is known: Prometheus scrapes no exporter of such an account',
    next: 'Start the exporter, or mend the scrape configuration',
    act: 'now',
  },
];

export const DATA_TROUBLES = [...OF_ACCOUNTS, ...OF_EXPORTERS];
