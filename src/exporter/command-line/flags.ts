import { LOG_LEVELS } from '../logging/log.ts';
import { didYouMean } from '../text/suggestion.ts';
import {
  count,
  counts,
  type FlagValue,
  hostNames,
  httpAddress,
  labelSet,
  listenAddress,
  listenAddresses,
  moment,
  oneOf,
  onOff,
  positive,
  receiverChoice,
  shardOfAll,
  text,
  timeSpan,
  urlPath,
} from './flag-values.ts';

/** All commands. */
const COMMANDS = [
  'serve',
  'check-config',
  'plan',
  'doctor',
  'backfill',
  'rules',
  'rehearse',
  'sandbox',
  'state-copy',
] as const;

export type CommandName = (typeof COMMANDS)[number];

/** A flag of the command line. */
export interface Flag {
  readonly value: FlagValue<unknown>;
  /** Text of the default value; a flag without one is undefined unless given. */
  readonly default?: string;
  readonly about: string;
  readonly commands: readonly CommandName[];
  /** Values that a command accepts, if not all. */
  readonly words?: Readonly<Partial<Record<CommandName, readonly string[]>>>;
}

/** Commands that read the configuration. */
export const CONFIGURED = ['serve', 'check-config', 'plan', 'doctor', 'backfill', 'rehearse'] as const;

/** Returns the flags with the commands that accept them. */
function flagsOf<
  const Names extends readonly CommandName[],
  const Flags extends Readonly<Record<string, Omit<Flag, 'commands'>>>,
>(commands: Names, flags: Flags) {
  const entries = Object.entries(flags).map(([name, flag]) => [name, { ...flag, commands }]);
  return Object.fromEntries(entries) as { [Key in keyof Flags]: Flags[Key] & { commands: Names } };
}

/** Flags by name, in the order of the help. Each has an environment variable (`flagVariable`). */
export const FLAGS = {
  ...flagsOf(CONFIGURED, {
    'config.file': {
      value: text('file'),
      about: 'Configuration file. Without it, environment variables describe one account.',
    },
  }),
  ...flagsOf(['serve'], {
    'config.enable-auto-reload': {
      value: onOff,
      default: 'false',
      about: 'Reload the configuration file when it changes.',
    },
    'config.auto-reload-interval': {
      value: timeSpan,
      default: '30s',
      about: 'Interval between checks of the configuration file for changes.',
    },
    'web.listen-address': {
      value: listenAddresses,
      default: ':9801',
      about: 'Address to listen on. Can be repeated.',
    },
    'web.telemetry-path': { value: urlPath, default: '/metrics', about: 'Path of the metrics.' },
    'web.config.file': {
      value: text('file'),
      about:
        'Web configuration file for TLS and authentication, in the format of the Prometheus exporter-toolkit.',
    },
    'web.enable-lifecycle': {
      value: onOff,
      default: 'false',
      about: 'Enable POST /-/reload and /log_level; SIGHUP always reloads the configuration.',
    },
    'web.allowed-hosts': {
      value: hostNames,
      about:
        'Host names of this server. Requests for other names are refused, which protects against DNS rebinding. IP addresses and localhost are always allowed. Can be repeated.',
    },
    'state.required': {
      value: onOff,
      default: 'false',
      about:
        'Exit if --state.dir cannot be used. Without this flag gauges are served meanwhile, and counters as soon as it can be used.',
    },
    'state.replica': {
      value: text('name'),
      about: 'Name of this replica for people. Without it, the name of the host.',
    },
  }),
  ...flagsOf(['serve', 'state-copy', 'doctor'], {
    'state.dir': {
      value: text('directory'),
      about: 'Directory in which counters survive restarts. Without it they start from zero.',
    },
  }),
  ...flagsOf(['serve', 'state-copy'], {
    'state.url': {
      value: text('url'),
      about:
        'PostgreSQL that several replicas share, used instead of --state.dir: each account is polled by one of them, and passes to another when that one ends. Such as postgres://user@host/database?sslmode=verify-full; the variables of libpq (PGHOST, PGPASSWORD, PGSSLMODE, ...) fill in what it leaves out.',
    },
    'state.password-file': {
      value: text('file'),
      about: 'File with the password of --state.url, read anew at each connection.',
    },
  }),
  ...flagsOf(['state-copy'], {
    'copy.to': {
      value: oneOf(['database', 'directory']),
      about: 'Where to copy the state: from --state.dir to the database at --state.url, or back.',
    },
  }),
  ...flagsOf(['serve', 'plan', 'doctor', 'check-config'], {
    shard: {
      value: shardOfAll,
      about:
        'Poll only a part of the accounts, by their names: for replicas without a database. 0/3 is the first of three.',
    },
    'shard.configurations': {
      value: shardOfAll,
      about:
        'Poll only a part of the configurations of each account, by their ids, with as large a part of its quota; one of them reads what an account has once, such as its settings. 0/3 is the first of three.',
    },
  }),
  ...flagsOf(['serve', 'rehearse'], {
    sandbox: {
      value: onOff,
      default: 'false',
      about:
        'Of serve: poll the embedded platform if nothing else is configured. Of rehearse: use its history, with incidents.',
    },
  }),
  ...flagsOf(['sandbox'], {
    'sandbox.listen-address': {
      value: listenAddress,
      default: '127.0.0.1:9802',
      about: 'Address that the embedded platform listens on.',
    },
    'sandbox.config.file': {
      value: text('file'),
      about:
        'File that describes the embedded platform, such as config/sandbox.yaml; a seed in it overrides the flag.',
    },
  }),
  ...flagsOf(['serve', 'rehearse', 'sandbox'], {
    'sandbox.seed': { value: count, default: '1', about: 'Seed of the simulated traffic.' },
  }),
  ...flagsOf(['plan', 'doctor'], {
    json: { value: onOff, default: 'false', about: 'Print JSON instead of text.' },
  }),
  ...flagsOf(['plan'], {
    offline: {
      value: onOff,
      default: 'false',
      about: 'Send no requests to the platform: use the list sizes of --offline.counts.',
    },
    'offline.counts': {
      value: counts,
      default: '10',
      about:
        'Assumed size of each list: "10" for all, or "10,edge_applications=40,domains=250" by product or collector.',
    },
    'offline.limit': {
      value: positive,
      about: 'Assumed rate limit in operations per minute. Default: quota.assumed_limit.',
    },
  }),
  ...flagsOf(['plan', 'doctor', 'backfill', 'rehearse'], {
    account: { value: text('name'), about: 'Only this account.' },
  }),
  ...flagsOf(['rehearse'], {
    'prometheus.url': {
      value: httpAddress,
      about:
        'Prometheus whose history to use, with its path prefix. Without it the history is read from the platform.',
    },
    'prometheus.username': {
      value: text('name'),
      about: 'User name for the basic authentication of Prometheus.',
    },
    'prometheus.password-file': {
      value: text('file'),
      about: 'File with the password of --prometheus.username.',
    },
    'prometheus.bearer-token-file': { value: text('file'), about: 'File with a token for Prometheus.' },
    'prometheus.ca-file': {
      value: text('file'),
      about: 'PEM file of the authorities to trust for Prometheus instead of the well-known ones.',
    },
    'history.file': {
      value: text('file'),
      about:
        'History as backfill writes it: used if it exists; else it is read from the platform, written here, and kept.',
    },
    days: { value: positive, about: 'Days to rehearse, up to --to. Default: 30.' },
    compare: { value: text('file'), about: 'Another alerts file: what it would change.' },
    recorded: {
      value: text('file'),
      about:
        'File for what the recording rules know at the end of the history, as OpenMetrics: promtool makes blocks of it, so that a new Prometheus knows what is usual.',
    },
  }),
  ...flagsOf(['backfill', 'rehearse'], {
    from: {
      value: moment,
      about:
        'Start of the history. Of backfill: at most 30 days ago, required. Of rehearse: instead of --days.',
    },
    to: {
      value: moment,
      about: 'End of the history. Default: the newest settled bucket; with --prometheus.url, now.',
    },
  }),
  ...flagsOf(['backfill', 'rules', 'rehearse'], {
    output: {
      value: text('path'),
      about:
        'Of backfill: file that the history is written to; required without --push. Of rules: directory for the files, without it stdout. Of rehearse: file for an HTML page with a chart of each alert.',
    },
  }),
  ...flagsOf(['rules', 'rehearse', 'check-config'], {
    'alerts.file': {
      value: text('file'),
      about:
        'File with thresholds, severities and addresses, such as config/alerts.yaml. Without it the rules are as shipped.',
    },
  }),
  ...flagsOf(['rules', 'rehearse'], {
    format: {
      value: oneOf(['prometheus', 'kubernetes', 'jsonnet', 'text', 'json']),
      about:
        'Of rules: prometheus (default) for rule files, kubernetes for a PrometheusRule of its operator, or jsonnet for the rules of the mixin. Of rehearse: text (default) or json.',
      words: { rules: ['prometheus', 'kubernetes', 'jsonnet'], rehearse: ['text', 'json'] },
    },
  }),
  ...flagsOf(['backfill'], {
    labels: { value: labelSet, about: 'Labels to add to every series, as a scrape would.' },
    push: {
      value: receiverChoice,
      default: 'false',
      about: 'Push the history to the receivers of the configuration, or to the one of this name.',
    },
    restart: {
      value: onOff,
      default: 'false',
      about: 'Start over, replacing what an earlier run left or wrote.',
    },
  }),
  ...flagsOf(COMMANDS, {
    'log.level': { value: oneOf(LOG_LEVELS), default: 'info', about: 'Minimum log level.' },
    'log.format': { value: oneOf(['logfmt', 'json']), default: 'logfmt', about: 'Log format.' },
  }),
};
export type FlagName = keyof typeof FLAGS;

type ValueOf<F> = F extends { value: FlagValue<infer Value> }
  ? F extends { default: string }
    ? Value
    : Value | undefined
  : never;

/** Values of the flags of a command; undefined for one that is not given and has no default. */
export type FlagsOf<Name extends CommandName> = {
  readonly [Key in FlagName as Name extends (typeof FLAGS)[Key]['commands'][number] ? Key : never]: ValueOf<
    (typeof FLAGS)[Key]
  >;
};

/** Returns the flags of a command, in the order of the help. */
export function flagsFor(command: CommandName): [FlagName, Flag][] {
  const all: [string, Flag][] = Object.entries(FLAGS);
  return all.filter((entry): entry is [FlagName, Flag] => entry[1].commands.includes(command));
}

/** Variables that Kubernetes sets for a Service named edge-exporter. */
const OF_SERVICE_LINKS = /^EDGE_EXPORTER_(SERVICE_(HOST|PORT)|PORT)(_|$)/;

/** Returns the environment variables that look like a flag's but belong to none. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = Object.keys(FLAGS).map((name) => flagVariable(name as FlagName));
  return Object.keys(env)
    .filter((name) => name.startsWith('EDGE_EXPORTER_') && !OF_SERVICE_LINKS.test(name))
    .filter((name) => !known.includes(name))
    .map((name) => `the environment variable ${name} gives no flag and is ignored${didYouMean(name, known)}`);
}

/** Returns the environment variable of a flag, which applies if the command line does not set the flag. */
export function flagVariable(name: FlagName): string {
  return `EDGE_EXPORTER_${name.toUpperCase().replaceAll(/[^A-Z]/g, '_')}`;
}
