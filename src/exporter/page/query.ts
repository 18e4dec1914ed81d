export const JOB_FILTERS = ['all', 'failing', 'late', 'behind', 'waiting', 'running', 'new'] as const;

/** Filter by which the status page lists jobs. */
export type JobFilter = (typeof JOB_FILTERS)[number];

/** Query in the status page's address. */
export interface PageQuery {
  /** Selected account; undefined for all. */
  readonly account: string | undefined;
  /** Filter of the listed jobs; undefined to list none. */
  readonly jobs: JobFilter | undefined;
  /** Part of the account whose jobs are listed; undefined for all. */
  readonly part: string | undefined;
  /** Words that must all occur in a job's names, outcome or reason, in any letter case. */
  readonly words: string;
  /** Number of the page, from 1. */
  readonly page: number;
  /** True if every account is listed, without a limit. */
  readonly listsAll: boolean;
}

/** Maximum number of characters, since every word is searched in every job. */
const LONGEST_WORDS = 200;

/** Parses the query of an address such as `/?account=shop&jobs=failing&page=2`; unknown values are ignored. */
export function parsePageQuery(search: string): PageQuery {
  const parameters = new URLSearchParams(search);
  const page = Number(parameters.get('page') ?? 1);
  const words = (parameters.get('q') ?? '').trim().slice(0, LONGEST_WORDS);
  const part = parameters.get('part') ?? undefined;
  const asksForJobs = words !== '' || part !== undefined;
  return {
    account: parameters.get('account') ?? undefined,
    jobs:
      JOB_FILTERS.find((filter) => filter === parameters.get('jobs')) ?? (asksForJobs ? 'all' : undefined),
    part,
    words,
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    listsAll: parameters.get('accounts') === 'all',
  };
}

/** Returns the address of a query, without default values. */
export function addressOf({
  account,
  jobs,
  part,
  words = '',
  page = 1,
  listsAll,
}: Partial<PageQuery>): string {
  const parameters = new URLSearchParams();
  if (account !== undefined) parameters.set('account', account);
  if (listsAll === true) parameters.set('accounts', 'all');
  if (jobs !== undefined) parameters.set('jobs', jobs);
  if (part !== undefined) parameters.set('part', part);
  if (words !== '') parameters.set('q', words);
  if (page > 1) parameters.set('page', String(page));
  return `?${parameters.toString()}${jobs === undefined ? '' : '#jobs-head'}`;
}
