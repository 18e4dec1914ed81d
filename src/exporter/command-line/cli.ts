import { parseArgs } from 'node:util';
import type { Environment } from '../configuration/environment.ts';
import { didYouMean } from '../text/suggestion.ts';
import type { Commands } from './command.ts';
import { SHELLS, type Shell } from './completion.ts';
import {
  type CommandName,
  FLAGS,
  type Flag,
  type FlagName,
  type FlagsOf,
  flagsFor,
  flagVariable,
} from './flags.ts';

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
  const unknown = unknownFlags(tokens);
  if (unknown.length > 0) return { kind: 'wrong', problems: unknown };
  const words = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  const asked = (name: string) => tokens.some((token) => token.kind === 'option' && token.name === name);
  if (asked('version') || (words[0] === 'version' && words.length === 1)) return { kind: 'version' };
  const completed =
    words[0] === 'completion' && words.length === 2 ? SHELLS.find((shell) => shell === words[1]) : undefined;
  if (completed !== undefined) return { kind: 'completion', shell: completed };
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

function isCommand(name: string, commands: Commands): name is CommandName {
  return Object.hasOwn(commands, name);
}

/** Looked for before anything else, since the word after an unknown flag may be its value or a command. */
function unknownFlags(tokens: Tokens): string[] {
  const known = [...Object.keys(FLAGS), 'help', 'version'];
  return tokens.flatMap((token) => {
    if (token.kind !== 'option' || known.includes(token.name)) return [];
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
    if (text !== undefined && value === undefined)
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
