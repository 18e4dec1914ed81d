import type { Environment } from './interpolation.ts';
import type { ConfigIssue, Finding } from './issue.ts';

/** The variables that describe an account where there is no file, by the key that each stands for. */
const VARIABLES = {
  api_url: 'EDGE_API_URL',
  allow_http: 'EDGE_ALLOW_HTTP',
  token: 'EDGE_TOKEN',
  token_file: 'EDGE_TOKEN_FILE',
  username: 'EDGE_USERNAME',
  password: 'EDGE_PASSWORD',
  password_file: 'EDGE_PASSWORD_FILE',
} as const;

const SWITCH: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/** What the environment says, as a file would; undefined when no variable is set. An empty one counts as not set. */
export function configFromEnvironment(env: Environment): unknown {
  const given = Object.entries(VARIABLES).flatMap(([key, name]) => {
    const value = env[name];
    if (value === undefined || value === '') return [];
    return [[key, key === 'allow_http' ? (SWITCH[value] ?? value) : value] as const];
  });
  if (given.length === 0) return undefined;
  return { accounts: [{ name: 'default', ...Object.fromEntries(given) }] };
}

/** The finding as an issue of the variable that it is about, with variables in place of keys. */
export function placeInEnvironment({ path, message }: Finding): ConfigIssue {
  const names = new Map<string, string>(Object.entries(VARIABLES));
  const named = message.replaceAll(
    /(?<!\b(?:the|no) )\b[a-z]+(_[a-z]+)?\b/g,
    (word) => names.get(word) ?? word,
  );
  return { source: 'environment', path: names.get(String(path[2])) ?? '', message: named };
}
