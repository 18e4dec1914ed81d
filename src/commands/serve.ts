import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { credentialsFrom } from '../exporter/account/connection.ts';
import { aborted, systemClock } from '../exporter/clock.ts';
import { Member } from '../exporter/cluster/member.ts';
import { Registry } from '../exporter/cluster/registry.ts';
import { EXIT, type ExitCode, type Invocation } from '../exporter/command-line/command.ts';
import { openFilesLimit } from '../exporter/command-line/process.ts';
import {
  ConfigInUse,
  type ConfigSource,
  examineConfig,
  type ReadConfig,
  watch,
} from '../exporter/configuration/config.ts';
import { formatIssue } from '../exporter/configuration/issue.ts';
import type { Config } from '../exporter/configuration/schema.ts';
import { Exporter } from '../exporter/exporter.ts';
import { cronTicker } from '../exporter/poll/ticker.ts';
import { Running, type RunningOptions } from '../exporter/running.ts';
import { Secret } from '../exporter/secret.ts';
import { reportTicks, reportTo } from '../exporter/self/account-report.ts';
import { addProcess } from '../exporter/self/measured-metrics.ts';
import { createSelfMetrics } from '../exporter/self/self-metrics.ts';
import { StateInUse } from '../exporter/state/directory.ts';
import { memoryState, openState, StateRequired } from '../exporter/state/open-state.ts';
import { openAccountState } from '../exporter/state/postgres-account.ts';
import { BadStateUrl, postgresAddress } from '../exporter/state/postgres-address.ts';
import { PostgresConnections } from '../exporter/state/postgres-connections.ts';
import { NewerSchema } from '../exporter/state/postgres-schema.ts';
import { OtherFormat } from '../exporter/state/sqlite.ts';
import type { State } from '../exporter/state/state.ts';
import type { ShardStatus } from '../exporter/status.ts';
import { WebConfigError } from '../exporter/web/config-file.ts';
import { ListenError } from '../exporter/web/server.ts';
import { createWeb } from '../exporter/web/web.ts';
import { inShard } from './accounts-asked.ts';

type Serve = Invocation<'serve'>;

/** Time limit (ms) for stopping. Everything must end within 5 s of the signal, of which a busy machine may take two. */
const STOP_MS = 3_000;

/** Maximum number of client connections, more than any monitoring system needs. */
const MOST_CONNECTIONS = 1_024;

/**
 * Growth of the heap, in per cent of the live objects, after which V8 collects. V8's default makes a process of 100,000 series half
 * again as large (450 MB instead of 300). 20 % saves nothing more and takes a quarter more CPU.
 */
const HEAP_GROWTH = 50;

/** Functions that stop the started parts, called in reverse order. */
type Stops = (() => Promise<void> | void)[];

/** Failures at the start that are not bugs, and their exit codes. */
const KNOWN_FAILURES = [
  [WebConfigError, EXIT.misused],
  [BadStateUrl, EXIT.misused],
  [NewerSchema, EXIT.misused],
  [OtherFormat, EXIT.misused],
  [StateInUse, EXIT.failed],
  [StateRequired, EXIT.failed],
  [ListenError, EXIT.failed],
] as const;

/** Runs the exporter until the process is asked to end. */
export async function serve(invocation: Serve): Promise<ExitCode> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH}`);
  const stops: Stops = [];
  try {
    // Stops at once if asked to while starting, because a start takes seconds with hundreds of accounts.
    const ending = aborted(invocation.signal);
    const exitCode = await Promise.race([start(invocation, stops), ending]);
    if (exitCode !== undefined) return exitCode;
    await ending;
    invocation.logging.log.info('stopping');
    return EXIT.ok;
  } finally {
    await Promise.race([stopAll(stops, invocation.logging), systemClock.sleep(STOP_MS)]);
  }
}

/** Starts all parts; returns an exit code if one cannot start. */
async function start(
  { flags, env, complain, logging, signal, onReload }: Serve,
  stops: Stops,
): Promise<ExitCode | undefined> {
  const { log } = logging;
  const file = flags['config.file'];
  const source = file === undefined ? { env } : { file, env };
  const inUse = new ConfigInUse(source, systemClock, () => readShare(source, flags));
  const config = await configOrSandbox(inUse, flags, stops, logging);
  if (config === undefined) {
    for (const issue of inUse.status().issues) complain(issue);
    return EXIT.misused;
  }
  try {
    const shard = shardOf(flags);
    if (shard !== undefined) {
      const facts = { shard: `${shard.index}/${shard.of}`, by: shard.by, accounts: config.accounts.length };
      log.info(facts, 'this process is a shard: others poll the rest');
    }
    const shared = await shareAccounts(flags, env, logging);
    const state = shared?.state ?? (await stateOf(flags, logging));
    stops.unshift(() => shared?.close() ?? state.close());
    const running = await startExporter(state, { member: shared?.member, shard }, inUse, logging, stops);
    const reload = reloadBy(running, logging);
    const web = createWeb({
      ...running.sources(flags['web.telemetry-path']),
      webConfigFile: flags['web.config.file'],
      lifecycle: flags['web.enable-lifecycle'],
      allowedHosts: flags['web.allowed-hosts'] ?? [],
      connections: connectionsWithin(openFilesLimit()),
      log,
    });
    stops.unshift(() => web.close());
    for (const address of flags['web.listen-address']) await web.listen(address);
    for (const address of web.urls()) log.info({ address }, 'listening');
    const started = running.start(config);
    onReload(reload);
    await started;
    if (flags['config.enable-auto-reload']) {
      const interval = flags['config.auto-reload-interval'];
      const hasChanged = () => inUse.hasChanged();
      void watch({ hasChanged, interval, clock: systemClock, signal, onChange: reload });
    }
    return undefined;
  } catch (error) {
    const known = KNOWN_FAILURES.find(([kind]) => error instanceof kind);
    if (known === undefined || !(error instanceof Error)) throw error;
    const hasIssues = error instanceof WebConfigError || error instanceof BadStateUrl;
    const issues = hasIssues ? error.issues : [error.message];
    for (const issue of issues) complain(issue);
    return known[1];
  }
}

async function configOrSandbox(
  inUse: ConfigInUse,
  flags: Serve['flags'],
  stops: Stops,
  { log }: Serve['logging'],
): Promise<Config | undefined> {
  const loaded = await inUse.load();
  if (loaded.ok) {
    for (const warning of loaded.warnings) log.warn({ issue: formatIssue(warning) }, 'configuration');
    return loaded.config;
  }
  if (!loaded.nothingConfigured || !flags.sandbox) return undefined;
  // Loaded only here, because it takes a quarter of the start time, and real accounts do not need it.
  const { startSandboxAccount } = await import('./sandbox.ts');
  const sandbox = await startSandboxAccount(flags['sandbox.seed']);
  stops.unshift(() => sandbox.close());
  log.warn(
    { platform: sandbox.url },
    'no account is configured: polling the embedded platform with made-up traffic',
  );
  return inUse.use('embedded sandbox', sandbox.config);
}

async function stateOf(flags: Serve['flags'], { log }: Serve['logging']): Promise<State> {
  const directory = flags['state.dir'];
  if (directory !== undefined) return openState(directory, log, { required: flags['state.required'] });
  if (flags['state.required']) throw new StateRequired('--state.required is given without --state.dir');
  log.info('no --state.dir: counters start from zero at every restart');
  return memoryState('no --state.dir: counters start from zero at every restart');
}

async function startExporter(
  state: State,
  { member, shard }: Pick<RunningOptions, 'member' | 'shard'>,
  inUse: ConfigInUse,
  { log, guard }: Serve['logging'],
  stops: Stops,
): Promise<Running> {
  const metrics = createSelfMetrics();
  if (shard !== undefined) metrics.shardInfo.set({ shard: shard.index, of: shard.of, by: shard.by }, 1);
  addProcess(metrics.registry);
  const { tick, stop } = cronTicker(systemClock, reportTicks(metrics, log));
  stops.unshift(stop);
  const exporter = new Exporter({
    clock: systemClock,
    ticker: tick,
    state,
    member,
    metrics,
    observer: reportTo(metrics, log, systemClock),
    credentials: credentialsFrom(systemClock, {
      guard,
      onNotice: (account, text) => log.warn({ account }, text),
    }),
  });
  stops.unshift(() => exporter.stop(AbortSignal.timeout(STOP_MS)));
  return new Running({ exporter, inUse, state, member, shard, metrics, clock: systemClock, log, guard });
}

/**
 * Returns the maximum number of client connections: at most half of the allowed open files, because polls and the state need the
 * rest.
 */
function connectionsWithin(openFiles = Number.POSITIVE_INFINITY): number {
  return Math.max(16, Math.min(MOST_CONNECTIONS, Math.floor(openFiles / 2)));
}

function reloadBy(running: Running, { log }: Serve['logging']): () => Promise<void> {
  return async () => {
    try {
      await running.reload();
    } catch (error) {
      log.error({ err: error }, 'reloading the configuration failed: this is a bug');
    }
  };
}

/** Stops everything, even if one part fails to stop. */
async function stopAll(stops: Stops, { log }: Serve['logging']): Promise<void> {
  // Parts that are still starting may add functions meanwhile.
  for (const stop of [...stops]) {
    try {
      await stop();
    } catch (error) {
      log.error({ err: error }, 'a part of the exporter did not stop properly');
    }
  }
}

/** Number of connections for commits, loading and the cluster status. The lease has its own, so that it never waits. */
const CONNECTIONS = 4;

/**
 * Joins the replicas that share a database, if one is configured. Retries while the database is unavailable.
 * @throws BadStateUrl, NewerSchema
 */
async function shareAccounts(flags: Serve['flags'], env: Serve['env'], { log, guard }: Serve['logging']) {
  const url = flags['state.url'];
  if (url === undefined) return undefined;
  if ((flags.shard ?? flags['shard.configurations']) !== undefined)
    throw new BadStateUrl(['--state.url and --shard: replicas on a database divide the accounts themselves']);
  const address = postgresAddress({ url, passwordFile: flags['state.password-file'], env });
  if (address.secret !== undefined) guard(new Secret(address.secret));
  const forLease = new PostgresConnections(address, 1);
  const forStates = new PostgresConnections(address, CONNECTIONS);
  const registry = new Registry(forLease, forStates);
  try {
    await registry.migrate();
    log.info({ database: address.shown }, 'accounts are shared with other replicas');
  } catch (error) {
    if (error instanceof NewerSchema) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ database: address.shown, reason }, 'the database cannot be used yet: nothing is polled');
  }
  const member = new Member({
    clock: systemClock,
    registry,
    openState: (owned) => openAccountState(forStates, owned),
    name: flags['state.replica'] ?? hostname(),
    newSession: randomUUID,
    log,
  });
  return {
    member,
    /** Combined state of the process: usable if the state of each account is. */
    state: {
      ...memoryState(),
      get kind() {
        return member.trouble === undefined ? 'durable' : 'unavailable';
      },
      directory: address.shown,
    } satisfies State,
    close: async () => void (await Promise.all([forLease.close(), forStates.close()])),
  };
}

function shardOf(flags: Serve['flags']): ShardStatus | undefined {
  const { shard, 'shard.configurations': part } = flags;
  if (shard !== undefined) return { ...shard, by: 'accounts' };
  return part === undefined ? undefined : { ...part, by: 'configurations' };
}

/** Reads the configuration of this process' shard. */
async function readShare(source: ConfigSource, flags: Serve['flags']): Promise<ReadConfig> {
  const { loaded, read } = await examineConfig(source);
  if (!loaded.ok) return { loaded, read };
  const accounts = inShard(loaded.config.accounts, flags);
  return { loaded: { ...loaded, config: { ...loaded.config, accounts } }, read };
}
