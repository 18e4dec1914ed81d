import { Command, CommanderError, Option } from 'commander';
import { ACCOUNT_VARIABLES, type Environment, SWITCH } from '../configuration/environment.ts';
import { isQuoted, QUOTED } from '../configuration/field-types.ts';
import { createLogger, type Logging } from '../logging/log.ts';
import { complaintsOn, type Output, oneLine, showingAll } from '../text/output.ts';
import { didYouMean } from '../text/suggestion.ts';
import { VERSION } from '../version.ts';
import { type Commands, EXIT, type ExitCode } from './command.ts';
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

/** Process context of the program. */
export interface ProcessContext {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly signal: AbortSignal;
  onReload(listener: () => void): void;
  /** Registers a handler of uncaught errors, called before the process ends. */
  onCrash(report: (error: unknown) => void): void;
}

/** Command that writes files, which must be the same on a terminal. */
const WRITES_FILES: CommandName = 'rules';

/** Runs the command of the command line and returns the exit code. */
export async function run(context: ProcessContext, commands: Commands): Promise<ExitCode> {
  const { args, env, stdout } = context;
  const stderr = showingAll(context.stderr);
  const request = parseCommandLine(args, env, commands);
  switch (request.kind) {
    case 'shown':
      stdout.write(request.text);
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

const ABOUT =
  'Prometheus exporter for an edge delivery platform: analytics, WAF, status codes, settings and quota.';

const EXIT_CODES =
  'Exit codes: 0 success, 1 failure, 2 wrong usage or configuration, 3 the plan does not fit the quota.';

/** A command with the values of its flags. */
export type RunRequest<Name extends CommandName = CommandName> = {
  readonly [Key in Name]: { readonly kind: 'run'; readonly command: Key; readonly flags: FlagsOf<Key> };
}[Name];

/** Request that a command line makes. */
export type Request =
  | RunRequest
  | { readonly kind: 'shown'; readonly text: string }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] };

/** Texts given on the command line, by flag; switches are true or false. */
type GivenFlags = Readonly<Record<string, string | boolean | undefined>>;

/** Parses a command line (without the program's own name). @param env environment variables for flags that are not given */
export function parseCommandLine(args: readonly string[], env: Environment, commands: Commands): Request {
  const problem = wordMistake(args, commands);
  if (problem !== undefined) return { kind: 'wrong', problems: [problem] };
  let shown = '';
  let request: Request | undefined;
  const program = programOf(commands, (command, given) => {
    request = evaluate(command, given, env);
  });
  for (const one of [program, ...program.commands])
    one.configureOutput({
      writeOut: (text) => {
        shown += text;
      },
      writeErr: () => undefined,
    });
  try {
    program.parse(args.map(withoutValue), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'shown', text: shown };
    const message = error.message.replace(/^error: /, '').replace(/\n(?=\(Did you mean)/, ' ');
    return { kind: 'wrong', problems: [message] };
  }
  return request ?? { kind: 'shown', text: program.helpInformation() };
}

/** Returns the mistake in the words of a command line, which is checked before flags; undefined if there is none. */
function wordMistake([word = 'serve', ...rest]: readonly string[], commands: Commands): string | undefined {
  const oneDash = [word, ...rest].find((arg) => /^-[a-z]{2}/i.test(arg))?.replace(/=.*/s, '');
  if (oneDash !== undefined) return `unknown flag ${oneDash}: flags begin with two dashes: -${oneDash}`;
  const known = [...Object.keys(commands), 'help'];
  const named = word === 'help' ? (rest[0] ?? word) : word;
  if (named.startsWith('-') || known.includes(named)) return undefined;
  return `unknown command "${named}"${didYouMean(named, known)}`;
}

/** Returns an argument for commander: a switch without its value, or an unknown flag without a possible secret. */
function withoutValue(arg: string): string {
  const [, name = '', value = ''] = /^--([^=]+)=(.*)$/s.exec(arg) ?? [];
  if (name === '') return arg;
  if (!Object.hasOwn(FLAGS, name)) return `--${name}`;
  const isOn = isSwitch(FLAGS[name as FlagName]) ? SWITCH[value] : undefined;
  return isOn === undefined ? arg : `--${isOn ? '' : 'no-'}${name}`;
}

function isSwitch({ value }: Flag): boolean {
  return value.placeholder === undefined;
}

/** Creates the program with every command and its flags. @param onCommand called with the command and the given flags */
export function programOf(
  commands: Commands,
  onCommand: (command: CommandName, given: GivenFlags) => void,
): Command {
  const program = new Command('edge-exporter').description(ABOUT).exitOverride();
  program.version(`edge-exporter ${VERSION} (node ${process.version})`, '--version', 'Show the version.');
  program.addHelpText('after', `\n${EXIT_CODES}`).configureHelp({ helpWidth: 100 });
  for (const [key, { summary }] of Object.entries(commands)) {
    const name = key as CommandName;
    const command = program.command(name, { isDefault: name === 'serve' }).description(summary);
    for (const [flag, about] of flagsFor(name))
      for (const option of optionsOf(name, flag, about)) command.addOption(option);
    if (flagsFor(name).some(([flag]) => flag === 'config.file')) command.addHelpText('after', ACCOUNT_HELP);
    // Accepts the file as an argument, like `promtool check config FILE`.
    if (name === 'check-config') command.argument('[file]', 'Stands for --config.file.');
    command.action(() => {
      const [file] = command.args;
      const given = flagsFor(name).map(([flag]) => {
        const [option] = optionsOf(name, flag, FLAGS[flag]);
        return [flag, command.getOptionValue(option?.attributeName() ?? flag)];
      });
      onCommand(name, { ...(file !== undefined && { 'config.file': file }), ...withoutUndefined(given) });
    });
  }
  return program;
}

function withoutUndefined(entries: readonly unknown[][]): GivenFlags {
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Help text on the variables that replace a configuration file, for commands that read one. */
const ACCOUNT_HELP = [
  '\nEnvironment variables that describe one account without a --config.file:',
  ...ACCOUNT_VARIABLES.map(({ name, about }) => `  ${name.padEnd(20)} ${about}`),
].join('\n');

/** Returns a flag as options of commander; the second one negates a switch. */
function optionsOf(command: CommandName, name: FlagName, flag: Flag): Option[] {
  const { value, default: usual } = flag;
  const placeholder = flag.words?.[command]?.join('|') ?? value.placeholder;
  const form = placeholder === undefined ? value.option && ` [${value.option}]` : ` <${placeholder}>`;
  const about = `${flag.about}${usual === undefined ? '' : ` Default: ${usual}.`} Environment: ${flagVariable(name)}.`;
  const option = new Option(`--${name}${form ?? ''}`, about);
  if (value.repeatable)
    option.argParser((text: string, before?: string) => (before === undefined ? text : `${before},${text}`));
  return isSwitch(flag) ? [option, new Option(`--no-${name}`).hideHelp()] : [option];
}

/** Returns the value of each flag of the command: from the command line, the environment, or the default. */
function evaluate(command: CommandName, given: GivenFlags, env: Environment): Request {
  const problems: string[] = [];
  const entries = flagsFor(command).map(([name, flag]) => {
    const variable = flagVariable(name);
    const typed = given[name];
    const text = typed === undefined ? env[variable] || flag.default : String(typed);
    const origin = typed === undefined ? `environment variable ${variable}` : `flag --${name}`;
    const words = flag.words?.[command];
    const fits = text !== undefined && words?.includes(text) !== false;
    const value = fits ? flag.value.parse(text) : undefined;
    if (text !== undefined && typed === undefined && isQuoted(text)) problems.push(`${origin} ${QUOTED}`);
    else if (text !== undefined && value === undefined)
      problems.push(`${origin}: expected ${words?.join(', ') ?? flag.value.expected}`);
    return [name, value];
  });
  if (problems.length > 0) return { kind: 'wrong', problems };
  return { kind: 'run', command, flags: Object.fromEntries(entries) } as RunRequest;
}
