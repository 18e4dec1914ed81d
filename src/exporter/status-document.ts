import type { ClusterStatus } from './cluster/member.ts';
import type { Facts } from './facts/facts.ts';
import type { ConfigStatus, ObservedAccount, ReceiverStatus, ShardStatus, StateStatus } from './status.ts';

/** State of the exporter: `/api/v1/status` as JSON, `/` as a page. Times are ISO 8601 in UTC. It contains no secrets. */
export interface Status {
  readonly version: string;
  readonly started_at: string;
  readonly uptime_seconds: number;
  readonly ready: boolean;
  /** Reasons why the exporter is not ready, as sentences; empty if it is ready. */
  readonly not_ready: readonly string[];
  /** True if the sandbox is polled, so that all data is simulated. */
  readonly sandbox: boolean;
  readonly config: ConfigStatus;
  readonly state: StateStatus;
  /** Replicas that share the accounts; absent if there is only this process. */
  readonly cluster?: ClusterStatus;
  /** Shard of this process; absent if there is none. */
  readonly shard?: ShardStatus;
  /** Number of exposed series of the platform. */
  readonly series: number;
  /** Number of series that were dropped because of the series limit. */
  readonly series_dropped: number;
  readonly push: readonly ReceiverStatus[];
  readonly accounts: readonly AccountStatus[];
}

/** Account of the platform, with the facts about it. */
export interface AccountStatus extends ObservedAccount {
  readonly facts: Facts;
}

/** Number of jobs in a document by default, and at most. */
const DEFAULT_LIMIT = 1_000;
const LARGEST_LIMIT = 5_000;

const PARAMETERS = ['account', 'offset', 'limit'];

/** Requested part of the status. */
export interface StatusQuery {
  readonly account: string | undefined;
  /** Number of jobs to skip, over the requested accounts in order. */
  readonly offset: number;
  readonly limit: number;
}

/** Response of `/api/v1/status`: the status with a part of its jobs. */
export interface StatusDocument extends Omit<Status, 'accounts'> {
  readonly jobs: {
    /** Number of jobs of the requested accounts. */
    readonly total: number;
    readonly offset: number;
    readonly limit: number;
    /** Query for the next jobs; `null` if there are none. */
    readonly next: string | null;
  };
  /** Requested accounts, each with its jobs in the requested part. */
  readonly accounts: readonly (ObservedAccount & {
    readonly judgement: JudgementDocument;
    readonly jobs_total: number;
  })[];
}

/** Facts about an account as JSON. */
interface JudgementDocument extends Pick<Facts, 'state' | 'since' | 'says' | 'causes'> {
  readonly data: readonly {
    readonly part: string;
    readonly state: Facts['state'];
    readonly since: string;
    readonly cause: string | null;
    readonly has_data: boolean | null;
    readonly age_seconds: number | null;
    readonly expected_age_seconds: number | null;
    readonly missing_share: number | null;
  }[];
}

/** Parses a query such as `account=production&offset=1000`. Returns its errors if it is invalid. */
export function parseStatusQuery(search: string): StatusQuery | readonly string[] {
  const parameters = new URLSearchParams(search);
  const offset = Number(parameters.get('offset') ?? 0);
  const limit = Number(parameters.get('limit') ?? DEFAULT_LIMIT);
  const unknown = [...parameters.keys()].filter((name) => !PARAMETERS.includes(name));
  const issues = [
    ...unknown.map((name) => `unknown parameter ${name.slice(0, 50)}; there are ${PARAMETERS.join(', ')}`),
    ...(Number.isSafeInteger(offset) && offset >= 0 ? [] : ['offset: expected a whole number from 0']),
    ...(Number.isSafeInteger(limit) && limit >= 1 && limit <= LARGEST_LIMIT
      ? []
      : [`limit: expected a whole number from 1 to ${LARGEST_LIMIT}`]),
  ];
  return issues.length > 0 ? issues : { account: parameters.get('account') ?? undefined, offset, limit };
}

/** Returns the requested part of a status. */
export function statusDocument(status: Status, query: StatusQuery): StatusDocument {
  const { account, offset, limit } = query;
  const asked = status.accounts.filter(({ name }) => account === undefined || name === account);
  let before = 0;
  const accounts = asked.map(({ facts, jobs, ...one }) => {
    const from = Math.max(0, offset - before);
    const to = Math.max(0, offset + limit - before);
    before += jobs.length;
    const shown = jobs.slice(from, to);
    return {
      ...one,
      up: facts.up,
      judgement: judgementDocument(facts),
      jobs_total: jobs.length,
      jobs: shown,
    };
  });
  const next = offset + limit < before ? nextQuery(query) : null;
  return { ...status, jobs: { total: before, offset, limit, next }, accounts };
}

function judgementDocument({ state, since, says, causes, parts }: Facts): JudgementDocument {
  const data = parts.map(({ name, hasData, tally, ...part }) => ({
    part: name,
    state: part.state,
    since: part.since,
    cause: part.cause ?? null,
    has_data: hasData,
    age_seconds: tally.oldestSeconds ?? null,
    expected_age_seconds: tally.expectedSeconds ?? null,
    missing_share: tally.missingShare ?? null,
  }));
  return { state, since, says, causes, data };
}

function nextQuery({ account, offset, limit }: StatusQuery): string {
  const next = { ...(account !== undefined && { account }), offset: `${offset + limit}`, limit: `${limit}` };
  return `?${new URLSearchParams(next).toString()}`;
}
