import { judge } from './judgement/judgement.ts';
import type { AccountStatus, JobStatus, Status } from './status.ts';

/** Jobs in a document when nothing else is asked for, and at most. */
const DEFAULT_LIMIT = 1_000;
const LARGEST_LIMIT = 5_000;

const PARAMETERS = ['account', 'offset', 'limit'];

/** Which part of the status is asked for. */
export interface StatusQuery {
  readonly account: string | undefined;
  /** How many jobs of the accounts asked for, in their order, are left out before the first. */
  readonly offset: number;
  readonly limit: number;
}

/** `/api/v1/status`: the status with a part of its jobs. */
export interface StatusDocument extends Omit<Status, 'accounts'> {
  readonly jobs: {
    /** Of the accounts asked for. */
    readonly total: number;
    readonly offset: number;
    readonly limit: number;
    /** The query that asks for those that follow; `null` when there are none. */
    readonly next: string | null;
  };
  /** The accounts asked for, all of them, each with those of its jobs that lie in the part asked for. */
  readonly accounts: readonly (AccountStatus & {
    readonly jobs_total: number;
    readonly jobs: readonly JobStatus[];
  })[];
}

/** Reads a query such as `account=production&offset=1000`. @returns what is wrong with it, where it is none */
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

/** The part of a status that is asked for. Only the jobs in it are looked at. */
export function statusDocument(status: Status, query: StatusQuery): StatusDocument {
  const { account, offset, limit } = query;
  const asked = status.accounts.filter(({ name }) => account === undefined || name === account);
  let before = 0;
  const accounts = asked.map((one) => {
    const from = Math.max(0, offset - before);
    const to = Math.max(0, offset + limit - before);
    before += one.jobs.length;
    return { ...one, jobs_total: one.jobs.length, jobs: one.jobs.slice(from, to) };
  });
  const next = offset + limit < before ? nextQuery(query) : null;
  return { ...status, jobs: { total: before, offset, limit, next }, accounts };
}

/** The part of a status that is asked for as JSON, each account with what is said of it at `now` (ms), in small steps. */
export function* statusText(status: Status, query: StatusQuery, now: number): Generator<undefined, string> {
  const { accounts, ...facts } = statusDocument(status, query);
  const whole = new Map(status.accounts.map((account) => [account.name, account]));
  const pieces = [`${openObject(facts)},"accounts":[`];
  for (const [index, { jobs, ...account }] of accounts.entries()) {
    const of = whole.get(account.name) ?? { ...account, jobs };
    const { up, state, says, causes, parts } = yield* judge(of, now);
    const data = parts.map(({ name, hasData }) => ({ part: name, has_data: hasData }));
    const judged = { ...account, up, judgement: { state, says, causes, data } };
    pieces.push(`${index > 0 ? ',' : ''}${openObject(judged)},"jobs":[`);
    let position = 0;
    for (const job of jobs) {
      pieces.push(`${position > 0 ? ',' : ''}${JSON.stringify(job)}`);
      position += 1;
      yield;
    }
    pieces.push(']}');
    yield;
  }
  pieces.push(']}');
  return pieces.join('');
}

function openObject(fields: object): string {
  return JSON.stringify(fields).slice(0, -1);
}

function nextQuery({ account, offset, limit }: StatusQuery): string {
  const next = { ...(account !== undefined && { account }), offset: `${offset + limit}`, limit: `${limit}` };
  return `?${new URLSearchParams(next).toString()}`;
}
