export const JOB_FILTERS = ['all', 'failing', 'late', 'behind', 'waiting', 'running', 'new'] as const;

/** State of the jobs that the reader of the status page asks for. */
export type JobFilter = (typeof JOB_FILTERS)[number];

/** Content of the status page's address. */
export interface PageQuery {
  /** The account that is looked at; undefined for all. */
  readonly account: string | undefined;
  /** Jobs that are listed; undefined for none. */
  readonly jobs: JobFilter | undefined;
  /** Part of the account whose jobs are listed; undefined for all. */
  readonly part: string | undefined;
  /** Words that must all occur in a job's names, outcome or reason, in any letter case. */
  readonly words: string;
  /** From 1. */
  readonly page: number;
  /** True if every account is listed, however many there are. */
  readonly listsAll: boolean;
}

/** Characters: every word is looked for in every job. */
const LONGEST_WORDS = 200;

/** Returns the query of an address such as `/?account=shop&jobs=failing&page=2`; anything unknown counts as not given. */
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

/** Returns the address that asks for this; the default is left out. */
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
