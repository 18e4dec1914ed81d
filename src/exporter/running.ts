import { type Clock, wallAt } from './clock.ts';
import { clusterStatus, type Member } from './cluster/member.ts';
import { secretsOf } from './configuration/access.ts';
import type { ConfigInUse } from './configuration/config.ts';
import { formatIssue } from './configuration/issue.ts';
import { secretsOfReceiver } from './configuration/push-settings.ts';
import type { Config } from './configuration/schema.ts';
import type { Exporter } from './exporter.ts';
import { LOG_LEVELS } from './logging/log.ts';
import { receiverStatus } from './push/running-receiver.ts';
import type { Secret } from './secret.ts';
import type { SelfMetrics } from './self/self-metrics.ts';
import type { State } from './state/state.ts';
import type { ShardStatus } from './status.ts';
import type { Status } from './status-document.ts';
import { inTurns } from './turns.ts';
import { VERSION } from './version.ts';
import type { ReloadResult, WebSources } from './web/routes.ts';

export interface RunningOptions {
  readonly exporter: Exporter;
  readonly inUse: ConfigInUse;
  readonly state: State;
  readonly member?: Member | undefined;
  readonly shard?: ShardStatus | undefined;
  readonly metrics: SelfMetrics;
  readonly clock: Clock;
  readonly log: {
    level: string;
    info(facts: object, message: string): void;
    warn(facts: object, message: string): void;
  };
  readonly guard: (secret: Secret) => void;
}

/** Running exporter, whose configuration can be reloaded and whose status can be read. */
export class Running {
  readonly #options: RunningOptions;
  readonly #startedAt: number;
  /** Completion of the configuration that is being applied; the next one waits for it. */
  #applying: Promise<unknown> = Promise.resolve();
  /** Reload that has not started yet. It covers all changes until it starts, so further reloads share it. */
  #waiting: Promise<ReloadResult> | undefined;

  constructor(options: RunningOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
  }

  start(config: Config): Promise<void> {
    return this.#inTurn(() => this.#apply(config));
  }

  /** Reloads the configuration. An invalid one changes nothing; an invalid accounts file leaves the accounts unchanged. */
  reload(): Promise<ReloadResult> {
    this.#waiting ??= this.#inTurn(() => {
      this.#waiting = undefined;
      return this.#reload();
    });
    return this.#waiting;
  }

  /** Returns the sources of the HTTP endpoints. */
  sources(telemetryPath: string): WebSources {
    const { exporter, log } = this.#options;
    return {
      telemetryPath,
      exposition: (format, encoding) => exporter.body(format, encoding),
      status: (isAsked) => this.status(isAsked),
      notReady: () => exporter.notReady(),
      reload: () => this.reload(),
      logLevel: { levels: LOG_LEVELS, read: () => log.level, set: (level) => this.#setLogLevel(level) },
    };
  }

  #setLogLevel(level: string): void {
    const { log } = this.#options;
    const facts = { from: log.level, to: level };
    log.warn(facts, 'the log level changes');
    log.level = level;
  }

  /** Returns the status of the exporter. @param isAsked true for accounts whose jobs are included; default: all */
  status(isAsked?: (account: string) => boolean): Status {
    const { exporter, inUse, state, clock, member, shard } = this.#options;
    const notReady = exporter.notReady();
    const { kind, directory, note, refusal } = state;
    return {
      version: VERSION,
      started_at: new Date(wallAt(clock, this.#startedAt)).toISOString(),
      uptime_seconds: (clock.now() - this.#startedAt) / 1_000,
      ready: notReady.length === 0,
      not_ready: notReady,
      sandbox: inUse.isStandIn,
      config: inUse.status(),
      state: {
        kind,
        ...(directory === undefined ? {} : { directory }),
        ...(note === undefined ? {} : { note }),
        ...(refusal === undefined ? {} : { refusal }),
      },
      ...(member === undefined ? {} : { cluster: clusterStatus(member, clock) }),
      ...(shard === undefined ? {} : { shard }),
      series: exporter.seriesCount,
      series_dropped: exporter.droppedSeries,
      push: exporter.receivers().map(receiverStatus),
      accounts: exporter.accounts(isAsked),
    };
  }

  #inTurn<T>(apply: () => Promise<T>): Promise<T> {
    const applied = this.#applying.then(apply);
    this.#applying = applied.catch(() => undefined);
    return applied;
  }

  async #reload(): Promise<ReloadResult> {
    const { inUse, log, metrics } = this.#options;
    const loaded = await inUse.load();
    if (!loaded.ok) {
      const issues = loaded.issues.map(formatIssue);
      metrics.configReloadSuccessful.set(0);
      log.warn({ issues: issues.join('; ') }, 'the configuration was not reloaded');
      return { ok: false, issues };
    }
    for (const warning of loaded.warnings) log.warn({ issue: formatIssue(warning) }, 'configuration');
    await this.#apply(loaded.config);
    log.info({ source: loaded.source }, 'configuration reloaded');
    return { ok: true };
  }

  async #apply(config: Config): Promise<void> {
    const { exporter, metrics, inUse, guard } = this.#options;
    await inTurns([...config.accounts.flatMap(secretsOf), ...config.push.flatMap(secretsOfReceiver)], guard);
    await exporter.apply(config, AbortSignal.timeout(STOP_ACCOUNT_MS));
    metrics.sandbox.set(inUse.isStandIn ? 1 : 0);
    metrics.configReloadSuccessful.set(1);
    metrics.configReloadTimestamp.set(inUse.loadedAt / 1_000);
  }
}

/** Time (ms) for a removed account to revoke its token. */
const STOP_ACCOUNT_MS = 2_000;
