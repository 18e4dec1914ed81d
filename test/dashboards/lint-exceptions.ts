/** Intended exception from a rule of the linter. */
export interface Exception {
  readonly rule: string;
  readonly file: string;
  /** Title of a panel, or name of a variable or annotation; undefined: all. */
  readonly where?: string;
  readonly reason: string;
}

const ACCOUNTS = 'the platform’s series are told apart by account, whichever exporter is scraped for them';
const SELDOM =
  'some collectors poll every ten minutes or more seldom, which a rate interval is too short for';

const OF_THE_PLATFORM = ['overview.json', 'configuration.json', 'security.json'].flatMap((file) =>
  ['template-job', 'template-instance', 'target-job', 'target-instance'].map((rule) => ({
    rule,
    file,
    reason: ACCOUNTS,
  })),
);

const MARKS = ['Firing pages', 'Firing tickets', 'Changed settings', 'Learned delays'].flatMap((where) =>
  ['target-job', 'target-instance'].map((rule) => ({
    rule,
    file: 'exporter.json',
    where,
    reason: 'alerts, settings and delays are marked for the accounts, as in the other dashboards',
  })),
);

const LONG_RATES = ['Polls failed', 'Collectors'].map((where) => ({
  rule: 'target-rate-interval',
  file: 'exporter.json',
  where,
  reason: SELDOM,
}));

const IN_RANGE = ['Requests in range', 'Data in range', 'Threats in range'].map((where) => ({
  rule: 'target-counter-agg',
  file: 'configuration.json',
  where,
  reason:
    'an increase is divided by how many exporters show the counter, which counts the counters themselves',
}));

const TROUBLES = ['target-job', 'target-instance'].map((rule) => ({
  rule,
  file: 'exporter.json',
  where: 'What is wrong, and what to do next',
  reason: 'what is wrong is told for the accounts, in the same words as in the other dashboards',
}));

/** All exceptions, each with its reason. */
export const EXCEPTIONS: readonly Exception[] = [
  ...OF_THE_PLATFORM,
  ...MARKS,
  ...TROUBLES,
  ...LONG_RATES,
  ...IN_RANGE,
];
