import {
  count,
  counts,
  type FlagValue,
  hostNames,
  labelSet,
  listenAddress,
  listenAddresses,
  moment,
  oneOf,
  onOff,
  positive,
  text,
  timeSpan,
  urlPath,
} from './flag-values.ts';

export type CommandName = 'serve' | 'check-config' | 'plan' | 'doctor' | 'backfill' | 'rules' | 'sandbox';

/** A flag of the command line. */
export interface Flag {
  readonly value: FlagValue<unknown>;
  /** As it would be written; a flag without one is absent unless it is given. */
  readonly default?: string;
  readonly about: string;
  /** The commands that take it. */
  readonly commands: readonly CommandName[];
}

const CONFIGURED = ['serve', 'check-config', 'plan', 'doctor', 'backfill'] as const;
const LOGGED = ['serve', 'check-config', 'plan', 'doctor', 'backfill', 'rules', 'sandbox'] as const;

/** Every flag, by name; each has an environment variable besides (`flagVariable`). */
export const FLAGS = {
  'config.file': {
    value: text('file'),
    about: 'Configuration file. Without it the environment describes one account, see below.',
    commands: CONFIGURED,
  },
  'config.enable-auto-reload': {
    value: onOff,
    default: 'false',
    about: 'Load the configuration file anew when it has changed.',
    commands: ['serve'],
  },
  'config.auto-reload-interval': {
    value: timeSpan,
    default: '30s',
    about: 'How often to look whether it has.',
    commands: ['serve'],
  },
  'web.listen-address': {
    value: listenAddresses,
    default: ':9801',
    about: 'Where to listen for scrapes. May be given several times.',
    commands: ['serve'],
  },
  'web.telemetry-path': {
    value: urlPath,
    default: '/metrics',
    about: 'Path of the metrics.',
    commands: ['serve'],
  },
  'web.config.file': {
    value: text('file'),
    about: 'File that switches on TLS or authentication, in the form of the exporter-toolkit.',
    commands: ['serve'],
  },
  'web.enable-lifecycle': {
    value: onOff,
    default: 'false',
    about: 'Let POST /-/reload load the configuration anew; SIGHUP always does.',
    commands: ['serve'],
  },
  'web.allowed-hosts': {
    value: hostNames,
    about:
      'Names that clients may call this server by: requests for other names are refused, which keeps pages of other sites from reading it by DNS rebinding. IP addresses and localhost are always allowed. May be given several times.',
    commands: ['serve'],
  },
  'state.dir': {
    value: text('directory'),
    about: 'Where counters survive restarts. Without it they start from zero.',
    commands: ['serve'],
  },
  'state.required': {
    value: onOff,
    default: 'false',
    about:
      'Ends at once where --state.dir cannot be used. Without it gauges are served, and counters once it can be.',
    commands: ['serve'],
  },
  sandbox: {
    value: onOff,
    default: 'false',
    about: 'Poll the embedded platform if nothing else is configured.',
    commands: ['serve'],
  },
  'sandbox.listen-address': {
    value: listenAddress,
    default: '127.0.0.1:9802',
    about: 'Where the embedded platform listens.',
    commands: ['sandbox'],
  },
  'sandbox.seed': {
    value: count,
    default: '1',
    about: 'What the traffic of the embedded platform is made from; the same seed makes the same.',
    commands: ['serve', 'sandbox'],
  },
  'sandbox.config.file': {
    value: text('file'),
    about:
      'File that describes the embedded platform, such as config/sandbox.yaml; its seed goes before the flag.',
    commands: ['sandbox'],
  },
  json: {
    value: onOff,
    default: 'false',
    about: 'Print JSON instead of text.',
    commands: ['plan', 'doctor'],
  },
  offline: {
    value: onOff,
    default: 'false',
    about: 'Ask the platform nothing: take the sizes of its lists from --offline.counts.',
    commands: ['plan'],
  },
  'offline.counts': {
    value: counts,
    default: '10',
    about:
      'How many items each list is taken to have: "10" for all, "10,edge_applications=40,domains=250" for some by product or collector.',
    commands: ['plan'],
  },
  'offline.limit': {
    value: positive,
    about: 'Operations per minute that the platform is taken to allow; without it quota.assumed_limit.',
    commands: ['plan'],
  },
  account: {
    value: text('name'),
    about: 'Name of the only account to look at.',
    commands: ['plan', 'doctor', 'backfill'],
  },
  from: {
    value: moment,
    about: 'Start of the history, at most 30 days ago. Required.',
    commands: ['backfill'],
  },
  to: {
    value: moment,
    about: 'End of the history. Without it the newest settled bucket.',
    commands: ['backfill'],
  },
  output: {
    value: text('path'),
    about:
      'Of backfill: file that the history is written to, required. Of rules: directory for the files, without it stdout.',
    commands: ['backfill', 'rules'],
  },
  'alerts.file': {
    value: text('file'),
    about:
      'File with thresholds, severities and addresses, such as config/alerts.yaml. Without it the rules are as shipped.',
    commands: ['rules', 'check-config'],
  },
  format: {
    value: oneOf(['prometheus', 'kubernetes']),
    default: 'prometheus',
    about: 'Rule files of Prometheus, or a PrometheusRule for its operator.',
    commands: ['rules'],
  },
  labels: {
    value: labelSet,
    about: 'Labels that every series gets besides its own, as a scrape would add them.',
    commands: ['backfill'],
  },
  restart: {
    value: onOff,
    default: 'false',
    about: 'Begin anew, in place of what was begun or written before.',
    commands: ['backfill'],
  },
  'log.level': {
    value: oneOf(['debug', 'info', 'warn', 'error']),
    default: 'info',
    about: 'The least severe messages that are logged.',
    commands: LOGGED,
  },
  'log.format': {
    value: oneOf(['logfmt', 'json']),
    default: 'logfmt',
    about: 'Form of the log.',
    commands: LOGGED,
  },
} as const satisfies Readonly<Record<string, Flag>>;

export type FlagName = keyof typeof FLAGS;

type ValueOf<F> = F extends { value: FlagValue<infer Value> }
  ? F extends { default: string }
    ? Value
    : Value | undefined
  : never;

/** The values of the flags that a command takes; undefined for one that is not given and has no default. */
export type FlagsOf<Name extends CommandName> = {
  readonly [Key in FlagName as Name extends (typeof FLAGS)[Key]['commands'][number] ? Key : never]: ValueOf<
    (typeof FLAGS)[Key]
  >;
};

/** The flags that a command takes, in the order of the help. */
export function flagsFor(command: CommandName): [FlagName, Flag][] {
  const all: [string, Flag][] = Object.entries(FLAGS);
  return all.filter((entry): entry is [FlagName, Flag] => entry[1].commands.includes(command));
}

/** The environment variable that gives a flag's value where the command line does not. */
export function flagVariable(name: FlagName): string {
  return `EDGE_EXPORTER_${name.toUpperCase().replaceAll(/[^A-Z]/g, '_')}`;
}
