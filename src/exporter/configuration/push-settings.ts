import { createHash } from 'node:crypto';
import { z } from 'zod';
import { Secret } from '../secret.ts';
import {
  ACCESS,
  credentialMistakes,
  httpAddress,
  requestOf,
  secretsOf,
  secretText,
  toCredentials,
  unencrypted,
} from './access.ts';
import {
  addMistake,
  DAY,
  duration,
  integer,
  isMapping,
  MEBIBYTE,
  MINUTE,
  MOST_ENTRIES,
  MOST_NAMES,
  nameOrId,
  nameText,
  SECOND,
  text,
} from './field-types.ts';

/** Headers that the exporter sets itself. */
const OWN_HEADERS =
  /^(authorization|host|connection|user-agent|transfer-encoding|content-.*|x-prometheus-remote-write-version)$/i;

/** Valid label names. Prometheus reserves names that begin with two underscores. */
const LABEL_NAME = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;

function headers() {
  return z.record(z.string(), z.string()).transform((given, context) => {
    const secrets: Record<string, Secret> = {};
    for (const [name, value] of Object.entries(given)) {
      const mistake = headerMistake(name, value);
      if (mistake !== undefined) addMistake(context, [name], mistake);
      else secrets[name] = new Secret(value);
    }
    return secrets;
  });
}

function headerMistake(name: string, value: string): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return 'is not a valid header name';
  if (OWN_HEADERS.test(name)) return 'is set by the exporter; for Authorization use token or username';
  return /^[\x20-\x7e]+$/.test(value) ? undefined : 'expected printable ASCII characters';
}

function labels() {
  return z.record(z.string(), z.string().min(1, 'must not be empty')).superRefine((given, context) => {
    for (const name of Object.keys(given)) {
      if (!LABEL_NAME.test(name)) addMistake(context, [name], 'expected a label name such as "cluster"');
    }
  });
}

function patterns(most: number) {
  return z.array(nameOrId()).min(1, 'must not be empty').max(most).default(['*']);
}

const outbox = z.strictObject({
  max_bytes: integer()
    .min(MEBIBYTE)
    .default(256 * MEBIBYTE)
    .describe('Maximum size of the queue in bytes; beyond it the oldest samples are dropped and counted.'),
  max_age: duration({ min: MINUTE, max: 90 * DAY })
    .prefault('1d')
    .describe('Age at which waiting samples are dropped and counted.'),
});

const request = requestOf({
  timeout: duration({ min: SECOND, max: 5 * MINUTE })
    .prefault('30s')
    .describe('Timeout of one request.'),
});

const LOGIN = 'token, token_file or username';

/** Returns the rule that exactly one of two keys contains a secret. */
function exactlyOne(one: string, other: string) {
  const refine = (given: object, context: z.RefinementCtx) => {
    if ((Reflect.get(given, one) === undefined) === (Reflect.get(given, other) === undefined))
      addMistake(context, [], `expected exactly one of ${one} and ${other}`);
  };
  return [refine, { when: isMapping }] as const;
}

/** Keys as in Prometheus. */
const oauth2 = z
  .strictObject({
    token_url: httpAddress('https://login.example.net/oauth2/token', ({ href }) => href, {
      takesQuery: true,
    }).describe('Address of the token server.'),
    client_id: text().describe('Client id of the exporter at the token server.'),
    client_secret: secretText()
      .exactOptional()
      .describe('Secret of client_id; prefer a reference to an environment variable.'),
    client_secret_file: text()
      .exactOptional()
      .describe('File with the secret of client_id; read again for each token.'),
    scopes: z.array(text()).default([]).describe('Scopes to request for the token.'),
    endpoint_params: z
      .record(z.string(), z.string())
      .default({})
      .describe('Further parameters of a request for a token, for instance audience.'),
  })
  .superRefine(...exactlyOne('client_secret', 'client_secret_file'));

export type OAuth2 = z.output<typeof oauth2>;

/** Keys as in Prometheus. */
const sigv4 = z
  .strictObject({
    region: headerWord().describe('Region of the workspace, such as eu-central-1.'),
    access_key: headerWord().describe('Id of the access key.'),
    secret_key: secretText()
      .exactOptional()
      .describe('Secret of access_key; prefer a reference to an environment variable.'),
    secret_key_file: text()
      .exactOptional()
      .describe('File with the secret of access_key; read again for each request.'),
    session_token: secretText().exactOptional().describe('Session token of a temporary access key.'),
  })
  .superRefine(...exactlyOne('secret_key', 'secret_key_file'));

export type SigV4 = z.output<typeof sigv4>;

/** Returns the schema of a word in the header of a signature. */
function headerWord() {
  return text().regex(/^[\w+=.-]*$/, 'expected letters, digits and hyphens');
}

/** Credentials: the keys of an account, all of them optional. */
const { token, token_file, username, password, password_file } = ACCESS;

const RECEIVER = z
  .strictObject({
    name: nameText().describe('Name of the receiver in logs and metrics; unique.'),
    kind: z
      .enum(['remote_write', 'otlp'])
      .describe(
        'Protocol: remote_write (2.0, or 1.0 if the receiver does not know 2.0) or otlp (OTLP/HTTP with protobuf).',
      ),
    url: httpAddress(
      'https://prometheus.example.net/api/v1/write',
      ({ origin, pathname, search }) => origin + pathname + search,
      { takesQuery: true },
    ).describe('Address for the samples, with its path and, if needed, its query.'),
    allow_http: z
      .boolean()
      .default(false)
      .describe('Allow sending credentials and headers unencrypted to a host that is not loopback.'),
    token: token.describe('Bearer token, better as a reference to an environment variable.'),
    token_file: token_file.describe('File that holds the bearer token; read again when it changes.'),
    username: username.describe('User name of basic authentication.'),
    password,
    password_file: password_file.describe('File that holds the password; read again when it changes.'),
    oauth2: oauth2
      .exactOptional()
      .describe('Bearer tokens from OAuth 2.0 client credentials, fetched over the same route as requests.'),
    sigv4: sigv4
      .exactOptional()
      .describe('AWS Signature Version 4 (service aps), for Amazon Managed Prometheus.'),
    headers: headers().prefault({}).describe('Further headers, for instance X-Scope-OrgID.'),
    request: request.prefault({}).describe('Timeout, proxy and TLS of requests.'),
    families: patterns(MOST_ENTRIES).describe('Names (globs) of the families to push.'),
    accounts: patterns(MOST_NAMES).describe('Names (globs) of the accounts whose samples are pushed.'),
    buckets_only: z
      .boolean()
      .default(false)
      .describe(
        'true pushes buckets only; false also pushes, once a minute, all else that /metrics shows: settings, edge_up, the exporter’s own metrics.',
      ),
    expose: z
      .boolean()
      .default(true)
      .describe('false removes the buckets that are pushed to this receiver from /metrics.'),
    labels: labels().prefault({}).describe('Labels added to every sample, unless it has one of that name.'),
    outbox: outbox.prefault({}).describe('Limits of the queue while the receiver is away.'),
  })
  .superRefine(
    (receiver, context) => {
      if (isAuthenticated(receiver)) {
        for (const mistake of credentialMistakes(receiver)) addMistake(context, [], mistake);
      }
      const throughProxy = typeof receiver.request?.proxy === 'object';
      const { oauth2, sigv4 } = receiver;
      const isLoggedIn = isAuthenticated(receiver);
      if (sigv4 !== undefined && (isLoggedIn || oauth2 !== undefined))
        addMistake(context, ['sigv4'], `expected either sigv4 or oauth2, ${LOGIN}, not both`);
      if (oauth2 !== undefined && isLoggedIn)
        addMistake(context, ['oauth2'], `expected either oauth2 or ${LOGIN}, not both`);
      const address = Object(oauth2).token_url;
      const inTheOpen = unencrypted(address, receiver.allow_http, throughProxy, 'the client secret');
      if (inTheOpen) addMistake(context, ['oauth2', 'token_url'], inTheOpen);
      const secret =
        isLoggedIn ||
        oauth2 !== undefined ||
        sigv4 !== undefined ||
        Object.keys(Object(receiver.headers)).length > 0;
      const exposed =
        secret && unencrypted(receiver.url, receiver.allow_http, throughProxy, 'credentials and headers');
      if (exposed) addMistake(context, ['url'], exposed);
    },
    { when: isMapping },
  )
  .transform(({ token, token_file, username, password, password_file, ...receiver }) => {
    const given = { token, token_file, username, password, password_file };
    return { ...receiver, credentials: isAuthenticated(given) ? toCredentials(given) : undefined };
  });

/** Receivers to which samples are pushed. */
export const PUSH = z
  .array(RECEIVER)
  .superRefine((receivers, context) => {
    const names = receivers.map(({ name }) => name);
    for (const [index, name] of names.entries()) {
      const first = names.indexOf(name);
      if (first !== index)
        addMistake(context, [index, 'name'], `must be unique; push[${first}] has this name`);
    }
  })
  .default([])
  .describe('Receivers of pushed samples, each bucket at its own time; /metrics does not change.');

/** A validated receiver with defaults; durations are in milliseconds. */
export type Receiver = z.output<typeof RECEIVER>;

/** Returns the secrets in the configuration of a receiver. Secrets in files are not included. */
export function secretsOfReceiver(receiver: Receiver): readonly Secret[] {
  const { oauth2, sigv4, headers } = receiver;
  const further = [oauth2?.client_secret, sigv4?.secret_key, sigv4?.session_token];
  return [
    ...secretsOf(receiver),
    ...further.filter((secret) => secret !== undefined),
    ...Object.values(headers),
  ];
}

/** Keys that determine the destination of a receiver's samples. */
export type Destination = Pick<Receiver, 'kind' | 'url'> &
  Partial<Pick<Receiver, 'headers' | 'labels' | 'credentials' | 'oauth2' | 'sigv4'>>;

/**
 * Returns a digest of the destination of a receiver's samples, which reveals no secret. Tenants with the same URL differ by a
 * header, a login, or added labels.
 */
export function digestOfDestination(destination: Destination): string {
  const { kind, url, headers = {}, labels = {}, oauth2, sigv4 } = destination;
  const revealed = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.reveal()]);
  const whose = [
    revealed.sort(),
    Object.entries(labels).sort(),
    loginOf(destination.credentials),
    oauth2 && [oauth2.token_url, oauth2.client_id, oauth2.scopes, oauth2.endpoint_params],
    sigv4 && [sigv4.region, sigv4.access_key],
  ];
  return createHash('sha256')
    .update(JSON.stringify([kind, url, ...whose]))
    .digest('hex')
    .slice(0, 16);
}

/** Returns the login without its password, which may change. */
function loginOf(credentials: Receiver['credentials']): string | undefined {
  if (credentials?.kind === 'password') return credentials.username;
  return credentials?.kind === 'token' ? credentials.token.reveal() : credentials?.path;
}

const LOGIN_KEYS = ['token', 'token_file', 'username', 'password', 'password_file'] as const;

function isAuthenticated(given: { readonly [Key in (typeof LOGIN_KEYS)[number]]?: unknown }): boolean {
  return LOGIN_KEYS.some((key) => given[key] !== undefined);
}
