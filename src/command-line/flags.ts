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
  /** As it would be written; a flag without a default is undefined unless it is given. */
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
    about: 'Configuration file. Without it, environment variables describe one account.',
    commands: CONFIGURED,
  },
  'config.enable-auto-reload': {
    value: onOff,
    default: 'false',
    about: 'Reload the configuration file when it changes.',
    commands: ['serve'],
  },
  'config.auto-reload-interval': {
    value: timeSpan,
    default: '30s',
    about: 'How often to check the configuration file for changes.',
    commands: ['serve'],
  },
  'web.listen-address': {
    value: listenAddresses,
    default: ':9801',
    about: 'Address to listen on. Can be repeated.',
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
    about:
      'Web configuration file for TLS and authentication, in the format of the Prometheus exporter-toolkit.',
    commands: ['serve'],
  },
  'web.enable-lifecycle': {
    value: onOff,
    default: 'false',
    about: 'Enable POST /-/reload; SIGHUP always reloads the configuration.',
    commands: ['serve'],
  },
  'web.allowed-hosts': {
    value: hostNames,
    about:
      'Host names of this server. Requests for other names are refused, which protects against DNS rebinding. IP addresses and localhost are always allowed. Can be repeated.',
    commands: ['serve'],
  },
  'state.dir': {
    value: text('directory'),
    about: 'Directory in which counters survive restarts. Without it they start from zero.',
    commands: ['serve'],
  },
  'state.required': {
    value: onOff,
    default: 'false',
    about:
      'Exit if --state.dir cannot be used. Without this flag gauges are served meanwhile, and counters as soon as it can be used.',
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
    about: 'Address that the embedded platform listens on.',
    commands: ['sandbox'],
  },
  'sandbox.seed': {
    value: count,
    default: '1',
    about: 'Seed of the simulated traffic.',
    commands: ['serve', 'sandbox'],
  },
  'sandbox.config.file': {
    value: text('file'),
    about:
      'File that describes the embedded platform, such as config/sandbox.yaml; a seed in it overrides the flag.',
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
    about: 'Send no requests to the platform: use the list sizes of --offline.counts.',
    commands: ['plan'],
  },
  'offline.counts': {
    value: counts,
    default: '10',
    about:
      'Assumed size of each list: "10" for all, or "10,edge_applications=40,domains=250" by product or collector.',
    commands: ['plan'],
  },
  'offline.limit': {
    value: positive,
    about: 'Assumed rate limit in operations per minute. Default: quota.assumed_limit.',
    commands: ['plan'],
  },
  account: {
    value: text('name'),
    about: 'Only this account.',
    commands: ['plan', 'doctor', 'backfill'],
  },
  from: {
    value: moment,
    about: 'Start of the history, at most 30 days ago. Required.',
    commands: ['backfill'],
  },
  to: {
    value: moment,
    about: 'End of the history. Default: the newest settled bucket.',
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
    about: 'Labels to add to every series, as a scrape would.',
    commands: ['backfill'],
  },
  restart: {
    value: onOff,
    default: 'false',
    about: 'Start over, replacing what an earlier run left or wrote.',
    commands: ['backfill'],
  },
  'log.level': {
    value: oneOf(['debug', 'info', 'warn', 'error']),
    default: 'info',
    about: 'Minimum log level.',
    commands: LOGGED,
  },
  'log.format': {
    value: oneOf(['logfmt', 'json']),
    default: 'logfmt',
    about: 'Log format.',
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
