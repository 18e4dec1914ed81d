import picomatch from 'picomatch';
import type { Listing } from '../account/account-targets.ts';
import { PRODUCTS } from '../catalogue/products.ts';
import type { Account } from '../configuration/schema.ts';
import type { Job, JobSubject } from '../poll/job.ts';
import { periodOf } from '../rate-limit/demand.ts';
import type { LimitScopes } from '../rate-limit/limit-scopes.ts';
import { USUAL_PUBLISH_MS } from '../settling/delays.ts';
import type { ScopeLimit } from './expected-job.ts';
import { type AccountPlan, planAccount } from './plan.ts';
import { plannedJobs } from './planned-job.ts';
import type { Finding } from './survey.ts';

export interface SurveyedAccount {
  readonly account: Account;
  readonly jobs: readonly Job[];
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
  readonly listings: readonly Listing[];
  readonly scopes: LimitScopes;
  /** Operations per minute that are taken to be allowed where no answer has named a limit. */
  readonly assumedLimit: number;
}

/** The plan of an account that was surveyed, with the limits that its answers have named. */
export function planOf({
  account,
  jobs,
  findings,
  notes,
  listings,
  scopes,
  assumedLimit,
}: SurveyedAccount): AccountPlan {
  const planned = plannedJobs(jobs, {
    findings,
    periodOf: (schedule) => periodOf(schedule).mean,
    wants: wanting(account),
  });
  return planAccount({
    account: account.name,
    apiUrl: account.api_url,
    jobs: planned,
    limitOf: remembering((group) => limitOf(group, scopes, account.quota.reserve, assumedLimit)),
    publishDelayMs: account.publish_delay === 'auto' ? USUAL_PUBLISH_MS : account.publish_delay,
    notes,
    listed: listings.filter(({ listed }) => listed).length,
    unlisted: unlistedProducts(listings),
  });
}

/** The products whose configurations cannot be listed, as `api slug`. */
export function unlistedProducts(listings: readonly Listing[]): readonly string[] {
  return listings.filter(({ listed }) => !listed).map(({ product: { api, slug } }) => `${api} ${slug}`);
}

function limitOf(group: string, scopes: LimitScopes, reserve: number, assumedLimit: number): ScopeLimit {
  const { name, limiter } = scopes.of(group);
  const namedBy = limiter.limit === undefined ? 'assumption' : 'platform';
  return { name, limit: limiter.limit ?? assumedLimit, namedBy, reserve, allowance: limiter.allowance };
}

/** Whether a dimension of a product's metric is configured. */
function wanting({ collectors }: Account): (subject: JobSubject, dimension: string) => boolean {
  const matchers = new Map(
    PRODUCTS.flatMap(({ api, slug }) => {
      const settings = collectors[api]?.products[slug];
      return settings === undefined
        ? []
        : [[`${api} ${slug}` as string, picomatch([...settings.dimensions])] as const];
    }),
  );
  return ({ collector, product }, dimension) => matchers.get(`${collector} ${product}`)?.(dimension) ?? true;
}

function remembering<T>(compute: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}
