import type { Clock } from '../../src/exporter/clock.ts';
import { COLLECTORS } from '../../src/exporter/collectors.ts';
import { CONFIG, type Config } from '../../src/exporter/configuration/schema.ts';
import { openCredentials } from '../../src/exporter/credentials/token-login.ts';
import { Exporter } from '../../src/exporter/exporter.ts';
import { cronTicker } from '../../src/exporter/poll/ticker.ts';
import { reportTicks, reportTo } from '../../src/exporter/self/account-report.ts';
import { createSelfMetrics, type SelfMetrics } from '../../src/exporter/self/self-metrics.ts';
import { memoryState } from '../../src/exporter/state/open-state.ts';
import type { State } from '../../src/exporter/state/state.ts';
import {
  createSandbox,
  DEFAULT_TOKEN,
  type Sandbox,
  type SandboxOptions,
} from '../../src/sandbox/sandbox.ts';
import { type ParsedExposition, parseExposition } from '../parse-exposition.ts';
import { watchPendingWork } from '../pending-work.ts';
import { SimulatedClock } from '../simulated-clock.ts';
import { whenTestEnds } from '../when-test-ends.ts';

export interface SimulationOptions {
  readonly start?: number;
  readonly sandbox?: SandboxOptions;
  /** Account as in YAML, without name, address and token. */
  readonly account?: Record<string, unknown>;
  /** Further accounts as in YAML, with name and address. */
  readonly furtherAccounts?: readonly Record<string, unknown>[];
  /** Receivers of pushed samples, as in YAML. */
  readonly push?: readonly Record<string, unknown>[];
  readonly metrics?: Record<string, unknown>;
  readonly state?: State | ((clock: Clock) => Promise<State>);
  readonly rendersAhead?: boolean;
  readonly busy?: () => number;
  /** Lead (ms) of the exporter's clock over the platform's. */
  readonly skew?: number;
}

/** Log line with its level, facts and message. */
export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly facts: object;
  readonly message: string;
}

/**
 * Whole exporter in simulated time, with the embedded platform over real HTTP. It closes when its test
 * finishes.
 */
export interface Simulation {
  readonly clock: SimulatedClock;
  readonly sandbox: Sandbox;
  readonly metrics: SelfMetrics;
  readonly state: State;
  readonly log: readonly LogLine[];
  exporter(): Exporter;
  isRunning(): boolean;
  /** Advances time by a number of minutes. */
  minutes(count: number): Promise<void>;
  /** Reloads the configuration with other receivers, and with other keys of the account if they are given. */
  reload(
    push: readonly Record<string, unknown>[],
    account?: Record<string, unknown>,
    metrics?: Record<string, unknown>,
  ): Promise<void>;
  scrape(): Promise<ParsedExposition>;
  /** Ends the exporter without cleanup, as a crash does, and starts another one on the same state. */
  restart(): Promise<void>;
  /** Starts another exporter after the end of the last one. */
  start(): Promise<void>;
  /** Ends the exporter in order. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

const START = Date.UTC(2026, 0, 5, 10);

const SELDOM = { schedule: '*/5 * * * *' };
/** All collectors, with metrics on a slow schedule, for tests that do not depend on it. */
export const ALL_SELDOM = {
  ...Object.fromEntries(Object.keys(COLLECTORS).map((name) => [name, {}])),
  metrics: SELDOM,
  analytics: SELDOM,
};

export async function simulate(options: SimulationOptions = {}): Promise<Simulation> {
  const clock = new SimulatedClock(options.start ?? START);
  const skew = options.skew ?? 0;
  const local: Clock = {
    now: () => clock.now() + skew,
    wall: () => clock.wall() + skew,
    sleep: clock.sleep.bind(clock),
  };
  const sandbox = createSandbox({ now: () => clock.now(), ...options.sandbox });
  const platform = await sandbox.listen(0);
  const { state: given = memoryState() } = options;
  const open = typeof given === 'function' ? given : async () => given;
  let state = await open(clock);
  const log: LogLine[] = [];
  const note = (level: LogLine['level']) => (facts: object, message: string) =>
    void log.push({ level, facts, message });
  const metrics = createSelfMetrics();
  const logger = { info: note('info'), warn: note('warn'), error: note('error') };
  const observer = reportTo(metrics, logger, local);
  const { account = {} } = options;
  const configOf = (
    push: readonly Record<string, unknown>[] = [],
    changed: Record<string, unknown> = {},
    shown: Record<string, unknown> = options.metrics ?? {},
  ) => {
    const given = { ...account, ...changed };
    const token = 'token_file' in given || 'username' in given ? {} : { token: DEFAULT_TOKEN.token };
    return CONFIG.parse({
      accounts: [
        { name: 'test', api_url: platform.url, ...token, ...given },
        ...(options.furtherAccounts ?? []).map((further) => ({ token: DEFAULT_TOKEN.token, ...further })),
      ],
      push,
      metrics: shown,
    });
  };
  let config: Config = configOf(options.push);
  const work = watchPendingWork();
  const busy = { busy: () => work.count(0) + (options.busy?.() ?? 0) };
  const never = new AbortController().signal;
  let exporter: Exporter | undefined;

  const start = async () => {
    exporter = new Exporter({
      clock: local,
      ticker: cronTicker(local, reportTicks(metrics, logger)).tick,
      state,
      metrics,
      observer,
      rendersAhead: options.rendersAhead ?? false,
      credentials: ({ credentials, api_url, request }) =>
        openCredentials(credentials, {
          baseUrl: api_url,
          timeoutMs: request.timeout,
          maxResponseBytes: request.max_response_bytes,
          connections: 1,
          clock: local,
        }),
    });
    await exporter.apply(config, never);
    await clock.advance(1, busy);
  };
  const stop = async () => {
    await exporter?.stop(never);
    exporter = undefined;
    if (typeof given === 'function') await state.close();
  };
  const startAgain = async () => {
    state = await open(clock);
    await start();
  };
  const running = (): Exporter => {
    if (exporter === undefined) throw new Error('the exporter is not running');
    return exporter;
  };
  let closed: Promise<void> | undefined;
  const end = async () => {
    await stop();
    work.stop();
    await platform.close();
  };
  const close = () => (closed ??= end());
  whenTestEnds(close);
  await start();
  return {
    clock,
    sandbox,
    metrics,
    get state() {
      return state;
    },
    log,
    exporter: running,
    isRunning: () => exporter !== undefined,
    minutes: (count) => clock.advance(count * 60_000, busy),
    async reload(push, changed, shown) {
      config = configOf(push, changed, shown);
      await running().apply(config, never);
    },
    async scrape() {
      return parseExposition(Buffer.concat(await running().body('text', 'identity')).toString());
    },
    async restart() {
      await stop();
      await startAgain();
    },
    start: startAgain,
    stop,
    close,
  };
}
