import type { Chunk, Input } from '../promql/evaluation.ts';
import { parse, selectorsOf } from '../promql/parse.ts';
import { DAY, MINUTE } from '../shipped/times.ts';
import { CHUNK_MS, inputOf, type MinuteSamples, type RehearsalHistory, RehearsalRefusal } from './history.ts';
import type { PrometheusClient, Range } from './prometheus-client.ts';
import type { RehearsedRules } from './rehearsed-rules.ts';

/** Time (ms) before the range that is read but not reported: rules look back three weeks and some hours. */
export const WARM_UP_MS = 22 * DAY;

/** Range (ms) of one query of conditions, which are rarely true. */
const ASKED_MS = 7 * DAY;

/** Time (ms) before the range for conditions, at least as long as any `for` or `keep_firing_for`. */
const ASKED_WARM_UP_MS = DAY;

/** Maximum number of parallel queries, because Prometheus has other clients. */
const AT_A_TIME = 4;

export interface PrometheusHistoryOptions {
  readonly client: Pick<PrometheusClient, 'range' | 'names'>;
  readonly url: string;
  /** Reported range. */
  readonly range: Range;
  readonly rules: readonly RehearsedRules[];
}

/** Reads the history of a Prometheus. @throws RehearsalRefusal if it cannot be queried, or has no metric of the alerts */
export async function prometheusHistory(options: PrometheusHistoryOptions): Promise<RehearsalHistory> {
  const { url, range, client, rules } = options;
  const whole = { from: range.from - WARM_UP_MS, to: range.to };
  const spans = spansOf(whole);
  const all = new Set(await client.names(whole));
  const wanted = rules.flatMap(({ madeOf }) => [...madeOf.values()].flatMap((names) => [...names]));
  const names = new Set(wanted.filter((name) => all.has(name)));
  if (![...names].some((name) => name.startsWith('edge_'))) {
    const days = Math.round((whole.to - whole.from) / DAY);
    throw new RehearsalRefusal(
      `Prometheus at ${url} has none of the metrics that alerts are made of in these ${days} days: does it scrape edge-exporter? Without a history of its own, read the platform's (--config.file)`,
    );
  }
  return {
    source: `Prometheus at ${url}`,
    ...range,
    names,
    pieces: spans.length,
    chunks: () => chunks(spans, names, options),
  };
}

function spansOf({ from, to }: Range, length = CHUNK_MS): readonly Range[] {
  const count = Math.ceil((to - from) / length);
  return Array.from({ length: count }, (_, index) => ({
    from: from + index * length,
    to: Math.min(to, from + (index + 1) * length),
  }));
}

async function* chunks(
  spans: readonly Range[],
  there: ReadonlySet<string>,
  options: PrometheusHistoryOptions,
): AsyncGenerator<Chunk> {
  const asked = await askedSeries(there, options);
  const scrapedNames = options.rules.flatMap(({ scraped }) => [...scraped]);
  const names = [...new Set(scrapedNames)].filter((name) => there.has(name));
  // The next chunk is read while this one is evaluated.
  let next = scrapedInputs(names, spans[0], options);
  next.catch(() => undefined);
  for (const [index, span] of spans.entries()) {
    const steps = (span.to - span.from) / MINUTE;
    const scraped = await next;
    next = scrapedInputs(names, spans[index + 1], options);
    // A failure is handled when it is awaited, not as an unhandled rejection.
    next.catch(() => undefined);
    const conditions = asked.flatMap((series) => inputOf(series, span.from, steps) ?? []);
    yield { start: span.from, steps, inputs: [...scraped, ...conditions] };
  }
}

async function scrapedInputs(
  names: readonly string[],
  span: Range | undefined,
  { client }: PrometheusHistoryOptions,
): Promise<readonly Input[]> {
  if (span === undefined) return [];
  const { from, to } = span;
  const found = await inTurns(names, async (name) =>
    (await client.range(name, { from, to: to - MINUTE })).flatMap(
      (series) => inputOf({ name, ...series }, from, (to - from) / MINUTE) ?? [],
    ),
  );
  return found.flat();
}

async function askedSeries(
  there: ReadonlySet<string>,
  { client, range, rules }: PrometheusHistoryOptions,
): Promise<readonly MinuteSamples[]> {
  const expressions = new Map(rules.flatMap(({ asked }) => [...asked]));
  const spans = spansOf({ from: range.from - ASKED_WARM_UP_MS, to: range.to }, ASKED_MS);
  const work = [...expressions].flatMap(([name, query]) =>
    selectorsOf(parse(query)).some((selector) => there.has(selector.name))
      ? spans.map((span) => ({ name, query, ...span }))
      : [],
  );
  const found = await inTurns(work, async ({ name, query, from, to }) =>
    (await client.range(query, { from, to: to - MINUTE })).map((series) => ({ name, ...series })),
  );
  return found.flat();
}

async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const entries = items.entries();
  const turn = async (): Promise<void> => {
    for (const [index, item] of entries) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, turn));
  return results;
}
