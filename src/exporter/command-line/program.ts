import { parseArgs } from 'node:util';
import { ACCOUNT_VARIABLES, type Environment } from '../configuration/environment.ts';
import { isQuoted, QUOTED } from '../configuration/field-types.ts';
import { createLogger, type Logging } from '../logging/log.ts';
import { complaintsOn, type Output, oneLine, showingAll } from '../text/output.ts';
import { didYouMean } from '../text/suggestion.ts';
import { VERSION } from '../version.ts';
import { type Commands, EXIT, type ExitCode } from './command.ts';
import { completionScript, SHELLS, type Shell } from './completion.ts';
import {
  type CommandName,
  FLAGS,
  type Flag,
  type FlagName,
  type FlagsOf,
  flagsFor,
  flagVariable,
  unknownVariables,
} from './flags.ts';
import { isTooFewFiles, TOO_FEW_FILES } from './process.ts';

/** The process context that the program runs in. */
export interface ProcessContext {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly signal: AbortSignal;
  onReload(listener: () => void): void;
  /** Registers a report for uncaught errors, called before the process ends. */
  onCrash(report: (error: unknown) => void): void;
}

/** The command whose output is files: it stays as it is, other than on a terminal. */
const WRITES_FILES: CommandName = 'rules';

/** The program: does what the command line asks for and returns what the process should exit with. */
export async function run(context: ProcessContext, commands: Commands): Promise<ExitCode> {
  const { args, env, stdout } = context;
  const stderr = showingAll(context.stderr);
  const request = parseCommandLine(args, env, commands);
  switch (request.kind) {
    case 'version':
      stdout.write(`edge-exporter ${VERSION} (node ${process.version})\n`);
      return EXIT.ok;
    case 'completion':
      stdout.write(completionScript(request.shell, commands));
      return EXIT.ok;
    case 'help':
      stdout.write(request.command ? commandHelp(commands, request.command) : programHelp(commands));
      return EXIT.ok;
    case 'wrong':
      for (const problem of request.problems) stderr.write(`edge-exporter: ${oneLine(problem)}\n`);
      stderr.write('Try: edge-exporter --help\n');
      return EXIT.misused;
    case 'run': {
      const { 'log.level': level, 'log.format': format } = request.flags;
      const logging = createLogger({ level, format, destination: context.stderr });
      return execute(request, commands, { ...context, stderr, logging });
    }
  }
}

async function execute<Name extends CommandName>(
  { command, flags }: RunRequest<Name>,
  commands: Commands,
  { env, stdout, stderr, signal, logging, onReload, onCrash }: ProcessContext & { readonly logging: Logging },
): Promise<ExitCode> {
  const report = (error: unknown) => {
    const stack = error instanceof Error ? error.stack : undefined;
    logging.log.error({ err: error, stack }, 'the program failed: this is a bug');
  };
  onCrash(report);
  try {
    const entry: Commands[Name] = commands[command];
    if (entry === undefined) throw new Error(`no command ${command}`);
    const call = await entry.load();
    const shown = command === WRITES_FILES && !stdout.isTTY ? stdout : showingAll(stdout);
    const said = complaintsOn(stderr, env);
    for (const text of unknownVariables(env)) command === 'serve' ? logging.log.warn(text) : said.warn(text);
    return await call({ flags, env, stdout: shown, stderr, ...said, signal, onReload, logging });
  } catch (error) {
    if (isTooFewFiles(error)) stderr.write(`error: ${TOO_FEW_FILES}\n`);
    else if (!signal.aborted || error !== signal.reason) report(error);
    return EXIT.failed;
  }
}

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

/** A command with the values of its flags. */
export type RunRequest<Name extends CommandName = CommandName> = {
  readonly [Key in Name]: { readonly kind: 'run'; readonly command: Key; readonly flags: FlagsOf<Key> };
}[Name];

/** What a command line asks for. */
export type Request =
  | RunRequest
  | { readonly kind: 'help'; readonly command: CommandName | undefined }
  | { readonly kind: 'version' }
  | { readonly kind: 'completion'; readonly shell: Shell }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] };

const OPTIONS = Object.fromEntries(
  Object.entries<Flag>(FLAGS).map(([name, { value }]) => [
    name,
    { type: value.placeholder === undefined ? ('boolean' as const) : ('string' as const) },
  ]),
);

type Tokens = ReturnType<typeof tokenize>;

/** The parts of a command line; nothing is refused yet, so that all mistakes are reported at once. */
function tokenize(args: readonly string[]) {
  const options = {
    ...OPTIONS,
    help: { type: 'boolean' as const, short: 'h' },
    version: { type: 'boolean' as const },
  };
  return parseArgs({ args: [...args], options, strict: false, tokens: true, allowNegative: true }).tokens;
}

/** Parses a command line (without the program's own name); `env` supplies flags that are not given. */
export function parseCommandLine(args: readonly string[], env: Environment, commands: Commands): Request {
  const tokens = tokenize(args);
  const unknown = unknownFlags(tokens, args);
  if (unknown.length > 0) return { kind: 'wrong', problems: unknown };
  const words = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  const asked = (name: string) => tokens.some((token) => token.kind === 'option' && token.name === name);
  if (asked('version') || (words[0] === 'version' && words.length === 1)) return { kind: 'version' };
  if (words[0] === 'completion' && !asked('help')) return completionFor(words.slice(1));
  const helpAsked = words[0] === 'help' || asked('help');
  const [word, ...surplus] = words[0] === 'help' ? words.slice(1) : words;
  if (helpAsked && word === undefined) return { kind: 'help', command: undefined };
  const command = word ?? 'serve';
  if (!isCommand(command, commands)) {
    const hint = didYouMean(command, Object.keys(commands));
    return { kind: 'wrong', problems: [`unknown command "${command}"${hint}`] };
  }
  if (helpAsked) return { kind: 'help', command };
  const { values, problems } = valuesGiven(tokens, command);
  // As `promtool check config FILE` is typed.
  const file = command === 'check-config' && !values.has('config.file') ? surplus.shift() : undefined;
  if (file !== undefined) values.set('config.file', file);
  problems.unshift(...surplus.map((extra) => `unexpected argument "${extra}"`));
  const flags = evaluate(command, values, env, problems);
  return problems.length > 0 ? { kind: 'wrong', problems } : ({ kind: 'run', command, flags } as RunRequest);
}

function completionFor([word, ...surplus]: readonly string[]): Request {
  const shell = surplus.length === 0 ? SHELLS.find((known) => known === word) : undefined;
  if (shell !== undefined) return { kind: 'completion', shell };
  return { kind: 'wrong', problems: [`completion: expected ${SHELLS.join(' or ')}`] };
}

function isCommand(name: string, commands: Commands): name is CommandName {
  return Object.hasOwn(commands, name);
}

/** Looked for before anything else, since the word after an unknown flag may be its value or a command. */
function unknownFlags(tokens: Tokens, args: readonly string[]): string[] {
  const known = [...Object.keys(FLAGS), 'help', 'version'];
  const withOneDash = new Set<number>();
  return tokens.flatMap((token) => {
    if (token.kind !== 'option' || withOneDash.has(token.index)) return [];
    const [, word] = /^-([a-z][^=]+)/i.exec(args[token.index] ?? '') ?? [];
    if (word !== undefined) {
      // Letter by letter, it would be many short flags.
      withOneDash.add(token.index);
      return [`unknown flag -${word}: flags begin with two dashes: --${word}`];
    }
    if (known.includes(token.name)) return [];
    const hint = didYouMean(token.name, known).replace('"', '"--');
    return [`unknown flag ${token.rawName}${hint}`];
  });
}

/** The texts given on the command line by flag; of one that is given several times the last, unless it takes several. */
function valuesGiven(tokens: Tokens, command: CommandName) {
  const taken = new Map<string, Flag>(flagsFor(command));
  const values = new Map<string, string>();
  const problems: string[] = [];
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    const flag = taken.get(name);
    const negated = rawName.startsWith('--no-');
    if (flag === undefined) {
      problems.push(`flag --${name} does not belong to ${command}`);
    } else if (flag.value.placeholder === undefined) {
      values.set(name, negated ? 'false' : (value ?? 'true'));
    } else if (negated || value === undefined || (!inlineValue && value.startsWith('--'))) {
      problems.push(`flag --${name} needs a value: --${name}=<${flag.value.placeholder}>`);
    } else {
      values.set(name, joined(flag, values.get(name), value));
    }
  }
  return { values, problems };
}

function joined(flag: Flag, before: string | undefined, value: string): string {
  return flag.value.repeatable && before !== undefined ? `${before},${value}` : value;
}

/** The value of each flag of the command: from the command line, the environment, or the default. */
function evaluate(
  command: CommandName,
  values: ReadonlyMap<string, string>,
  env: Environment,
  problems: string[],
): object {
  const entries = flagsFor(command).map(([name, flag]) => {
    const { text, origin } = textOf(name, flag, values, env);
    const words = flag.words?.[command];
    const fits = text !== undefined && words?.includes(text) !== false;
    const value = fits ? flag.value.parse(text) : undefined;
    if (text !== undefined && isQuoted(text) && !values.has(name)) problems.push(`${origin} ${QUOTED}`);
    else if (text !== undefined && value === undefined)
      problems.push(`${origin}: expected ${words?.join(', ') ?? flag.value.expected}`);
    return [name, value];
  });
  return Object.fromEntries(entries);
}

function textOf(name: FlagName, flag: Flag, values: ReadonlyMap<string, string>, env: Environment) {
  const variable = flagVariable(name);
  const fromEnvironment = env[variable] === '' ? undefined : env[variable];
  return values.has(name)
    ? { text: values.get(name), origin: `flag --${name}` }
    : { text: fromEnvironment ?? flag.default, origin: `environment variable ${variable}` };
}
