/** An exporter whose ticks its parent decides on, in a process of its own that tells its longest turns of the event loop. */
import { credentialsFrom } from '../../src/exporter/account/connection.ts';
import { systemClock } from '../../src/exporter/clock.ts';
import { ConfigInUse } from '../../src/exporter/configuration/config.ts';
import { Exporter } from '../../src/exporter/exporter.ts';
import type { Ticker } from '../../src/exporter/poll/ticker.ts';
import { Running } from '../../src/exporter/running.ts';
import { reportTo } from '../../src/exporter/self/account-report.ts';
import { createSelfMetrics } from '../../src/exporter/self/self-metrics.ts';
import { memoryState } from '../../src/exporter/state/open-state.ts';
import { createWeb } from '../../src/exporter/web/web.ts';
import { type Block, LongestBlock } from './cpu-wait.ts';

/** What the parent asks for: to start, a tick of a cron pattern, or nothing but the longest turn since it last asked. */
export type Command = { readonly start: true } | { readonly tick: string } | { readonly turn: true };

/** The longest turn of the event loop. */
export type TurnTold = Block;

/** Serves the exporter of a configuration file, and does what the parent commands. */
export async function serveJobs(file: string): Promise<void> {
  const subscribers = new Map<string, Set<(at: number) => void>>();
  const ticker: Ticker = (pattern, fire) => {
    const fires = subscribers.get(pattern) ?? new Set();
    subscribers.set(pattern, fires.add(fire));
    return () => void fires.delete(fire);
  };
  const { running, config } = await makeExporter(file, ticker);
  const log = { level: 'info', info: () => undefined, warn: () => undefined, error: fail };
  const web = createWeb({ ...running.sources('/metrics'), connections: 100, log });
  await web.listen('127.0.0.1:0');
  const turns = watchTurns();
  process.on('message', (command: Command) => {
    if ('start' in command) void running.start(config);
    if ('tick' in command) for (const fire of [...(subscribers.get(command.tick) ?? [])]) fire(Date.now());
    if ('turn' in command) process.send?.(turns.take() satisfies TurnTold);
  });
  process.send?.({ port: Number(new URL(web.urls()[0] ?? '').port) });
}

async function makeExporter(file: string, ticker: Ticker) {
  const clock = systemClock;
  const inUse = new ConfigInUse({ file, env: {} }, clock);
  const loaded = await inUse.load();
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.issues));
  const state = memoryState();
  const metrics = createSelfMetrics();
  const log = { level: 'info', info: () => undefined, warn: () => undefined, error: fail };
  const guard = () => undefined;
  const exporter = new Exporter({
    clock,
    ticker,
    state,
    metrics,
    observer: reportTo(metrics, log, clock),
    credentials: credentialsFrom(clock, { guard }),
  });
  return {
    running: new Running({ exporter, inUse, state, metrics, clock, log, guard }),
    config: loaded.config,
  };
}

function fail(...words: readonly unknown[]): never {
  throw new Error(JSON.stringify(words));
}

/** Watches every turn of the event loop, which for that never rests. */
function watchTurns(): LongestBlock {
  const turns = new LongestBlock();
  const turn = () => {
    turns.turn();
    setImmediate(turn);
  };
  turn();
  return turns;
}
