import { ACCOUNT_VARIABLES } from '../configuration/environment.ts';
import type { Commands } from './command.ts';
import type { CommandName } from './flags.ts';
import { type Flag, type FlagName, flagsFor, flagVariable } from './flags.ts';

const INDENT = '      ';

/** What the program can do. */
export function programHelp(commands: Commands): string {
  const entries = Object.entries(commands);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return [
    'Prometheus exporter for an edge delivery platform: analytics, WAF, status codes, settings and quota.',
    '',
    'Usage: edge-exporter [<command>] [--<flag>=<value> ...]',
    '',
    'Commands (default: serve):',
    ...entries.map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`),
    `  ${'help'.padEnd(width)}  Show the flags of a command: edge-exporter help serve.`,
    'Completions: source <(edge-exporter completion bash), or zsh.',
    '',
    'Exit codes: 0 success, 1 failure, 2 wrong usage or configuration, 3 the plan does not fit the quota.',
    '',
  ].join('\n');
}

/** What one command does, and its flags. */
export function commandHelp(commands: Commands, command: CommandName): string {
  return [
    `Usage: edge-exporter ${command} [--<flag>=<value> ...]`,
    '',
    commands[command]?.summary ?? '',
    '',
    'Flags:',
    ...flagsFor(command).flatMap(([name, flag]) => flagHelp(name, flag, command)),
    '  -h, --help',
    `${INDENT}Show this help.`,
    '  --version',
    `${INDENT}Show the version.`,
    ...accountHelp(command),
    '',
  ].join('\n');
}

/** The variables that stand for a configuration file, for the commands that take one. */
function accountHelp(command: CommandName): string[] {
  if (!flagsFor(command).some(([name]) => name === 'config.file')) return [];
  const width = Math.max(...ACCOUNT_VARIABLES.map(({ name }) => name.length));
  return [
    '',
    'Environment variables that describe one account without a --config.file:',
    ...ACCOUNT_VARIABLES.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`),
  ];
}

function flagHelp(name: FlagName, flag: Flag, command: CommandName): string[] {
  const placeholder = flag.words?.[command]?.join('|') ?? flag.value.placeholder;
  const { option } = flag.value;
  const switched = option === undefined ? `--[no-]${name}` : `--${name}[=<${option}>]`;
  const form = placeholder === undefined ? switched : `--${name}=<${placeholder}>`;
  const value = flag.default === undefined ? '' : `Default: ${flag.default}. `;
  return [`  ${form}`, `${INDENT}${flag.about}`, `${INDENT}${value}Environment: ${flagVariable(name)}.`];
}
