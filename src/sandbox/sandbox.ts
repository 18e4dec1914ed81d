import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Express } from 'express';
import type { Account } from './account/platform-account.ts';
import { DEFAULT_SETTINGS, type Settings, settingsSchema } from './account/settings.ts';
import { createApplication } from './application.ts';
import type { FaultSettings } from './faults/faults.ts';
import { FaultSwitch } from './faults/switch.ts';
import type { Platform } from './http/platform.ts';
import { RequestLog } from './http/platform.ts';
import { RateLimit } from './http/rate-limit.ts';
import { type StaticToken, Tokens, type User } from './http/token-store.ts';
import { type AccountSize, DEFAULT_SIZE, seedAccount } from './seed.ts';
import type { Incident } from './traffic/incidents.ts';
import type { SeriesByDimension } from './traffic/series.ts';
import { type TruthQuery, truthOf } from './traffic/series.ts';
import { Traffic } from './traffic/traffic.ts';

const DAY = 86_400_000;

/** The user and the token that exist when none are given. */
export const DEFAULT_USER: User = { username: 'operator@example.com', password: 'sandbox' };
export const DEFAULT_TOKEN: StaticToken = { token: 'sandbox-token' };

/** Everything has a default: a small, realistic account. */
export interface SandboxOptions extends Partial<Settings>, Partial<AccountSize> {
  readonly seed?: number;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly users?: readonly User[];
  readonly tokens?: readonly StaticToken[];
  /** How long a created token lives, in ms. */
  readonly tokenLifetime?: number;
  readonly faults?: FaultSettings;
}

/** The embedded platform: its API over HTTP, and what only its owner can see and change. */
export interface Sandbox {
  readonly app: Express;
  /** What the account owns; changed by the API, or directly. */
  readonly account: Account;
  readonly faults: FaultSwitch;
  /** May be changed at any time. */
  readonly settings: Settings;
  readonly requests: RequestLog;
  /** The final values of every bucket, in the units of the settings. @throws RangeError without such a metric */
  truth(query: TruthQuery): SeriesByDimension;
  /** Adds an incident to the traffic. @throws RangeError without such a configuration */
  inject(incident: Incident): void;
  /** @param port 0 for any free one @param host loopback by default */
  listen(port: number, host?: string): Promise<{ url: string; close(): Promise<void> }>;
}

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const platform = assemble(options);
  const { account, faults, requests, settings, traffic } = platform;
  const app = createApplication(platform);
  return {
    app,
    account,
    faults,
    settings,
    requests,
    truth: (query) => truthOf(traffic, query, settings),
    inject: (incident) => traffic.inject(incident),
    listen: (port, host = '127.0.0.1') => listen(app, port, host),
  };
}

function assemble(options: SandboxOptions): Platform {
  const {
    seed = 1,
    now = Date.now,
    users = [DEFAULT_USER],
    tokens = [DEFAULT_TOKEN],
    tokenLifetime = DAY,
  } = options;
  const settings = settingsOf(options);
  const faults = new FaultSwitch(seed, options.faults);
  const ownTime = () => {
    const time = now();
    return time + (faults.lasting('clock_skew', { method: '', path: '', now: time })?.ms ?? 0);
  };
  const account = seedAccount(seed, { ...DEFAULT_SIZE, ...options }, () => traffic.observe(ownTime()));
  const traffic = new Traffic(seed, account);
  return {
    account,
    traffic,
    tokens: new Tokens({ users, tokens, lifetime: tokenLifetime, seed }),
    rateLimit: new RateLimit(),
    faults,
    settings,
    requests: new RequestLog(),
    seed,
    now: ownTime,
  };
}

function settingsOf(options: SandboxOptions): Settings {
  const known = Object.keys(settingsSchema.shape).map((name) => [name, options[name as keyof Settings]]);
  const given = known.filter(([, value]) => value !== undefined);
  return settingsSchema.parse({ ...DEFAULT_SETTINGS, ...Object.fromEntries(given) });
}

async function listen(
  app: Express,
  port: number,
  host: string,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(app);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${bound}`,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}
