import type { SeriesApi } from '../catalogue/products.ts';
import { foreignAnswerOf } from '../platform/exchange.ts';
import { type Outcome, PlatformFailure, type Read } from '../platform/read.ts';
import type { Job, PollResult } from '../poll/job.ts';
import type { SeriesJob } from '../series/series-job.ts';
import type { SourceEvidence } from '../series/source-choice.ts';

/** Schedule: a failed probe is retried sooner, and a successful one ends the job. */
const SCHEDULE = '*/10 * * * *';

/** Weight between the lists of configurations and the reads of their series. */
const PROBE_WEIGHT = 9;

/** Result of a probe of the sources. */
export type ProbeResult = Pick<SourceEvidence, 'rest' | 'graphql'>;

/** Reads series from one source. It rejects with `not_found` if the source has none. */
export type ProbeRead = (read: Read, signal: AbortSignal) => Promise<unknown>;

interface SourceProbeOptions {
  /** Group of the first operations. */
  readonly group: string;
  /** Returns the probe reads of each source. */
  readonly reads: () => Readonly<Record<keyof ProbeResult, readonly ProbeRead[]>>;
  readonly learn: (result: ProbeResult) => void;
  /** Returns the jobs that read from a source. */
  readonly jobs: (source: keyof ProbeResult) => readonly Pick<SeriesJob, 'withoutRefusal'>[];
}

/** Job that finds the source of an API's series: REST first, GraphQL only if REST has none. */
export class SourceProbe implements Job<ProbeResult> {
  readonly id: string;
  readonly api: SeriesApi;
  readonly subject = { collector: 'discovery' };
  readonly schedule = SCHEDULE;
  readonly group: string;
  readonly weight = PROBE_WEIGHT;
  readonly #options: SourceProbeOptions;

  constructor(api: SeriesApi, options: SourceProbeOptions) {
    this.id = `discovery/${api}/source`;
    this.api = api;
    this.group = options.group;
    this.#options = options;
  }

  cost(): number {
    return 1;
  }

  async read(read: Read, signal: AbortSignal): Promise<ProbeResult> {
    const { rest, graphql } = this.#options.reads();
    const found = await resultOf(rest, REST_MISSING, read, signal);
    if (found !== 'missing') return { rest: found, graphql: undefined };
    return { rest: found, graphql: await resultOf(graphql, GRAPHQL_MISSING, read, signal) };
  }

  conclude(result: ProbeResult | PlatformFailure): PollResult {
    if (result instanceof PlatformFailure) throw result;
    const { learn, jobs } = this.#options;
    learn(result);
    const answering = (['rest', 'graphql'] as const).filter((source) => result[source] === 'answers');
    const changes = answering.flatMap((source) => jobs(source).map((job) => job.withoutRefusal()));
    return {
      outcome: 'ok',
      failure: isNowhere(result)
        ? new PlatformFailure('not_found', 'neither REST nor GraphQL has these series')
        : undefined,
      memory: changes.flatMap(({ memory = [] }) => memory),
      commit: changes.flatMap(({ commit = [] }) => commit),
      exposures: () => [],
    };
  }
}

function isNowhere({ rest, graphql }: ProbeResult): boolean {
  return rest === 'missing' && graphql === 'missing';
}

/** Outcomes that show that a source does not exist. */
const REST_MISSING: readonly Outcome[] = ['not_found'];
const GRAPHQL_MISSING: readonly Outcome[] = ['not_found', 'not_acceptable', 'undecodable'];

/**
 * Returns the result of probing one source; undefined without reads.
 * @throws PlatformFailure if a failure proves nothing about the source
 */
async function resultOf(
  reads: readonly ProbeRead[],
  missing: readonly Outcome[],
  read: Read,
  signal: AbortSignal,
): Promise<'answers' | 'missing' | undefined> {
  let result: 'answers' | 'missing' | undefined;
  for (const one of reads) {
    const failure = await one(read, signal).then(
      () => undefined,
      (error: unknown) => error,
    );
    // A source that refuses a read for lack of a permission exists.
    if (failure === undefined) return 'answers';
    if (!(failure instanceof PlatformFailure)) throw failure;
    if (failure.outcome === 'forbidden') return 'answers';
    if (!missing.includes(failure.outcome)) throw failure;
    // A proxy may answer in place of a platform that is down.
    if (missing === REST_MISSING && foreignAnswerOf(failure) !== undefined) throw failure;
    result = 'missing';
  }
  return result;
}
