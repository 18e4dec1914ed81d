import { ACCESS, SOURCE } from './access.ts';
import { isQuoted, QUOTED } from './field-types.ts';
import type { ConfigIssue, UnplacedIssue } from './issue.ts';

/** Keys of an account that environment variables set if there is no file. */
const KEYS = { ...ACCESS, ...SOURCE };

/** Variables that configure an account without a file, with the key of each. */
export const ACCOUNT_VARIABLES: readonly {
  readonly key: string;
  readonly name: string;
  readonly about: string;
}[] = Object.entries(KEYS).map(([key, { description = '' }]) => {
  const about = description
    .replace('; prefer a reference to an environment variable', '')
    .replaceAll(/\b(api_url|allow_http|username)\b/g, variableOf);
  return { key, name: variableOf(key), about };
});

function variableOf(key: string): string {
  return `EDGE_${key.toUpperCase()}`;
}

/** Words for true and false in variables and flags. */
export const SWITCH: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/** Returns the configuration from the environment in the form of a file; undefined if all variables are unset or empty. */
export function configFromEnvironment(env: Environment): unknown {
  const given = ACCOUNT_VARIABLES.flatMap(({ key, name }) => {
    const value = env[name];
    if (value === undefined || value === '') return [];
    return [[key, key === 'allow_http' ? (SWITCH[value] ?? value) : value] as const];
  });
  if (given.length === 0) return undefined;
  return { accounts: [{ name: 'default', ...Object.fromEntries(given) }] };
}

/** Returns a warning for each variable whose value is in quotes, except a password, whose quotes may be intended. */
export function quotedVariables(env: Environment): ConfigIssue[] {
  return ACCOUNT_VARIABLES.filter(({ key, name }) => key !== 'password' && isQuoted(env[name] ?? '')).map(
    ({ name }) => ({ source: 'environment', path: name, message: QUOTED }),
  );
}

const KEYS_IN_BRACES = new RegExp(`\\{(${ACCOUNT_VARIABLES.map(({ key }) => key).join('|')})\\}`, 'g');

/** Returns a message in which keys in braces are replaced by the names that the source uses. */
export function withKeys(message: string, written = (key: string) => key): string {
  return message.replaceAll(KEYS_IN_BRACES, (_, key: string) => written(key));
}

/** Returns a finding as an issue of its variable. */
export function placeInEnvironment({ path, message }: UnplacedIssue): ConfigIssue {
  const written = (key: string) => `${variableOf(key)}${key === 'allow_http' ? '=true' : ''}`;
  const key = String(path[2]);
  const name = Object.hasOwn(KEYS, key) ? variableOf(key) : '';
  return { source: 'environment', path: name, message: withKeys(message, written) };
}

export type Environment = Readonly<Record<string, string | undefined>>;

const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;

/** Returns the text with each `${NAME}` replaced by the variable's value, and `$${` by `${`. A problem never repeats a value. */
export function interpolate(text: string, env: Environment): { text: string; problems: string[] } {
  const problems: string[] = [];
  const filled = text.replaceAll(REFERENCE, (whole, name: string | undefined, end: string | undefined) => {
    if (name === undefined) return '${';
    if (end === '' || !/^[A-Za-z_]\w*$/.test(name)) {
      problems.push(
        `expected a variable such as "\${EDGE_TOKEN}"; "$\${" stands for the characters themselves`,
      );
      return whole;
    }
    const value = env[name];
    if (value === undefined) problems.push(`the environment variable ${name} is not set`);
    return value ?? whole;
  });
  return { text: filled, problems };
}
