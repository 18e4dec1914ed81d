import { CONFIGURED, type Flag } from './flag.ts';
import {
  count,
  hostNames,
  listenAddress,
  listenAddresses,
  oneOf,
  onOff,
  shardOfAll,
  text,
  timeSpan,
  urlPath,
} from './flag-values.ts';

/** What a process that serves is told: where from, where to, where it remembers, and the embedded platform. */
export const SERVICE_FLAGS = {
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
    about: 'Enable POST /-/reload and /log_level; SIGHUP always reloads the configuration.',
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
    commands: ['serve', 'state-copy'],
  },
  'state.required': {
    value: onOff,
    default: 'false',
    about:
      'Exit if --state.dir cannot be used. Without this flag gauges are served meanwhile, and counters as soon as it can be used.',
    commands: ['serve'],
  },
  'state.url': {
    value: text('url'),
    about:
      'PostgreSQL that several replicas share, used instead of --state.dir: each account is polled by one of them, and passes to another when that one ends. Such as postgres://user@host/database?sslmode=verify-full; the variables of libpq (PGHOST, PGPASSWORD, PGSSLMODE, ...) fill in what it leaves out.',
    commands: ['serve', 'state-copy'],
  },
  'state.password-file': {
    value: text('file'),
    about: 'File with the password of --state.url, read anew at each connection.',
    commands: ['serve', 'state-copy'],
  },
  'copy.to': {
    value: oneOf(['database', 'directory']),
    about: 'Where to copy the state: from --state.dir to the database at --state.url, or back.',
    commands: ['state-copy'],
  },
  'state.replica': {
    value: text('name'),
    about: 'Name of this replica for people. Without it, the name of the host.',
    commands: ['serve'],
  },
  shard: {
    value: shardOfAll,
    about:
      'Poll only a part of the accounts, by their names: for replicas without a database. 0/3 is the first of three.',
    commands: ['serve'],
  },
  sandbox: {
    value: onOff,
    default: 'false',
    about:
      'Of serve: poll the embedded platform if nothing else is configured. Of rehearse: use its history, with incidents.',
    commands: ['serve', 'rehearse'],
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
    commands: ['serve', 'rehearse', 'sandbox'],
  },
  'sandbox.config.file': {
    value: text('file'),
    about:
      'File that describes the embedded platform, such as config/sandbox.yaml; a seed in it overrides the flag.',
    commands: ['sandbox'],
  },
} as const satisfies Readonly<Record<string, Flag>>;
