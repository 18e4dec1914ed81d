import { ACCOUNT, of } from './query.ts';

/** Something that is wrong, and what an operator does about it. */
export interface Trouble {
  /** Has samples only while it is wrong. */
  readonly while: string;
  readonly says: string;
  readonly next: string;
  readonly act: keyof typeof ACT;
}

export const ACT = { now: 2, soon: 1, 'just wait': 0 } as const;

type Words = Omit<Trouble, 'while'>;

const SEE_WHICH = 'The exporter’s status page says what each job waits for';

/** What the exporter finds wrong with an account, by `cause` of `edge_trouble_info`, in words. */
export const OF_CAUSES = {
  unauthorized: {
    says: 'no new data: the platform refuses the token',
    next: 'Renew the credentials: a token file is read again by itself',
    act: 'now',
  },
  unreachable: {
    says: 'no new data: the platform is out of reach, or something else answers',
    next: 'edge-exporter doctor finds where it breaks: name, network, proxy, TLS or address',
    act: 'now',
  },
  server_error: {
    says: 'the platform fails: it answers with errors',
    next: 'See the platform’s own status page; polling goes on, and counters catch up',
    act: 'just wait',
  },
  rate_limited: {
    says: 'the platform refuses operations (429)',
    next: 'They leave again when it allows them. If it lasts, give the exporter a token of its own',
    act: 'soon',
  },
  forbidden: {
    says: 'a permission is missing: the token may not read all that is configured',
    next: 'Grant it to the token’s user: edge-exporter doctor lists what is missing',
    act: 'soon',
  },
  not_found: {
    says: 'the platform does not have something that is configured',
    next: 'The exporter’s status page names it: leave it out, or correct the path in api_url',
    act: 'soon',
  },
  'not_acceptable|timeout|network|undecodable': {
    says: 'some reads fail',
    next: 'The exporter’s status page says which and why; edge-exporter doctor finds where it breaks',
    act: 'soon',
  },
  quota: {
    says: 'polls wait for the quota: data comes later than planned',
    next: 'The exporter’s status page says whether others use it up; edge-exporter plan, what it is used for',
    act: 'soon',
  },
  not_read_yet: {
    says: 'a part has not been read yet',
    next: 'The exporter’s status page says how much, and until when; edge-exporter plan, what the quota is used for',
    act: 'just wait',
  },
  platform_late: {
    says: 'data is late, although the platform answers',
    next: `${SEE_WHICH}. Stale gauges are withdrawn, not wrong`,
    act: 'just wait',
  },
  exporter_late: {
    says: 'data is late: the exporter does not keep up',
    next: `${SEE_WHICH}; more CPU, or a higher request.concurrency, may help`,
    act: 'soon',
  },
  nothing_there: {
    says: 'no data: the platform has nothing of what is configured',
    next: 'Is it the right account? Are the names in configurations.include right?',
    act: 'soon',
  },
  counters_behind: {
    says: 'counters are behind',
    next: 'What is missing is read again as soon as it can be: until then increase() lacks it',
    act: 'just wait',
  },
  rows_missing: {
    says: 'a part of the data is missing in the platform’s answers: sums are too small',
    next: 'The exporter’s status page says how much, and of what; ask the platform for the rows',
    act: 'soon',
  },
  clock: {
    says: 'the clock of the exporter’s machine is wrong',
    next: 'Set it (NTP). Data is polled and aged by the platform’s clock, so none is lost',
    act: 'soon',
  },
  platform_clock: {
    says: 'the platform’s clock has moved',
    next: 'Leave this machine’s clock, and tell the platform’s operator: ages of data are wrong by as much',
    act: 'soon',
  },
} as const satisfies Readonly<Record<string, Words>>;

/** Accounts of which the exporter says that these causes stand. */
export function accountsWith(causes: string): string {
  return of('edge_trouble_info', ACCOUNT, `cause=~"${causes}"`);
}

/** What keeps an account's data from being complete: as the exporter's status page says it. */
const OF_ACCOUNTS = Object.entries(OF_CAUSES).map(
  ([cause, words]): Trouble => ({ while: accountsWith(cause), ...words }),
);

const OF_EXPORTERS: readonly Trouble[] = [
  {
    // At once, though the alert waits until a new version has taken over from the old one.
    while: of('ALERTS', 'alertname="EdgeAccountPolledTwice"', ACCOUNT),
    says: 'is polled twice: the quota is spent twice, and your own sums may be doubled',
    next: 'The Overview names the targets under “What fires now”: stop one, or leave it if it is meant',
    act: 'soon',
  },
  {
    while: 'label_replace(edge_exporter_state_durable == 0, "account", "all of $1", "instance", "(.*)")',
    says: 'counters are withheld: the state cannot be used',
    next: 'Make the directory writable and with room, or the database answer: counters go on where they were',
    act: 'soon',
  },
  {
    while:
      'label_replace(increase(edge_exporter_state_errors_total[3m]) > 0 unless on (job, instance) edge_exporter_state_durable == 0, "account", "all of $1", "instance", "(.*)")',
    says: 'counters stand still: the state cannot be written',
    next: 'Make room, or make it writable: counters catch up. Gauges are not affected',
    act: 'soon',
  },
  {
    while: `label_replace(absent(${of('edge_up', ACCOUNT)}), "account", "none", "", "")`,
    says: 'nothing is known: Prometheus scrapes no exporter of such an account',
    next: 'Start the exporter, or mend the scrape configuration',
    act: 'now',
  },
];

export const DATA_TROUBLES = [...OF_ACCOUNTS, ...OF_EXPORTERS];
