import { LOG_LEVELS } from '../logging/log.ts';
import { type CommandName, type Flag, LOGGED } from './flag.ts';
import { counts, type FlagValue, oneOf, onOff, positive, text } from './flag-values.ts';
import { HISTORY_FLAGS } from './history-flags.ts';
import { SERVICE_FLAGS } from './service-flags.ts';

export type { CommandName, Flag } from './flag.ts';

/** Every flag, by name, in the order of the help; each has an environment variable besides (`flagVariable`). */
export const FLAGS = {
  ...SERVICE_FLAGS,
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
    commands: ['plan', 'doctor', 'backfill', 'rehearse'],
  },
  ...HISTORY_FLAGS,
  'log.level': {
    value: oneOf(LOG_LEVELS),
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
