import { DiscoveryJob } from '../account/discovery-job.ts';
import { PRODUCTS, type Product } from '../catalogue/products.ts';
import { COLLECTORS, type CollectorName, partOf } from '../collectors.ts';
import { planOf, unlistedProducts } from '../plan/plan.ts';
import type { Finding } from '../plan/survey.ts';
import type { Job } from '../poll/job.ts';
import { USUAL_PUBLISH_MS } from '../settling/learned.ts';
import { plainNumber } from '../text/numbers.ts';
import {
  analyticsStep,
  grantedPermissions,
  listStep,
  metadataStep,
  seriesStep,
  settingsStep,
} from './read-steps.ts';
import type { Session } from './session.ts';
import { type Step, stepsNamed } from './step.ts';

/** One read of each kind that the configuration needs, what each permission gives, and whether the quota suffices. */
export async function* workSteps(session: Session): AsyncGenerator<Step> {
  yield* allSteps(session);
  const { unchecked, whyUnchecked } = session;
  yield unchecked.length === 0
    ? planStep(session)
    : stepsNamed('not checked').problem(`${whyUnchecked}: ${unchecked.join(', ')}, plan`);
}

async function* allSteps(session: Session): AsyncGenerator<Step> {
  const { metrics, analytics } = session.account.collectors;
  const wantsSeries = metrics !== undefined || analytics !== undefined;
  const closed = wantsSeries && (yield* permissionToRead(session));
  if (!closed) {
    yield* listSteps(session);
    yield* productsStep(session);
    yield* seriesSteps(session);
    yield* sourceSteps(session);
    yield* furtherSteps(session);
    // Last, since it brings metrics to try, which a product need not have.
    yield* metricsStep(session);
  }
  yield* settingsSteps(session);
}

/** Whether series are closed to the token: not by one refusal, if anything else that needs the permission is given. */
async function* permissionToRead(session: Session): AsyncGenerator<Step, boolean> {
  const findings: Finding[] = [];
  for await (const finding of probesOfSeries(session)) {
    if (finding !== undefined) findings.push(finding);
    else if (findings.length > 0) break;
    else return true;
  }
  if (findings.length === 0) return false;
  yield analyticsStep(findings, session.account);
  return findings.every(({ outcome }) => outcome === 'forbidden');
}

/** The lists of configurations, or a read of series where there are none. */
async function* probesOfSeries(session: Session): AsyncGenerator<Finding | undefined> {
  const polled = new Set<Job>();
  const next = () => listsOf(session).find((job) => !polled.has(job));
  for (let job = next(); job !== undefined; job = next()) {
    // Where the quota ends later, the steps of the lists themselves are unchecked.
    yield await session.poll(job, polled.size === 0 ? 'series' : undefined);
    polled.add(job);
  }
  const series = session.survey.jobs().find((job) => partOf(job) === 'series');
  if (polled.size === 0 && series !== undefined) yield await session.poll(series, 'series');
}

/** The jobs that list configurations. Where a list is not available, another is read. */
function listsOf(session: Session): readonly Job[] {
  return session.survey.jobs().filter(isList);
}

function isList(job: Job): boolean {
  return partOf(job) === 'discovery' && job.subject.product !== undefined;
}

async function* listSteps(session: Session): AsyncGenerator<Step> {
  // Those that failed before another source was chosen are no longer wanted.
  const polled = session.findings.map(({ job }) => job).filter(isList);
  for (const job of new Set([...polled, ...listsOf(session)])) {
    const name = `list of ${job.subject.product}`;
    const finding = await session.poll(job, name);
    if (finding === undefined) continue;
    // Of these together, see `productsStep`.
    if (finding.outcome === 'not_found' && isNotServed(session, job)) continue;
    yield listStep(finding, selectedOf(session, job), session.unmatched(job));
  }
}

/** Whether series come from a source that has nothing of a product: that it does not list its configurations is no mistake. */
function isNotServed({ survey }: Session, job: Job): boolean {
  return job instanceof DiscoveryJob && !survey.serves(job.product);
}

/** How many of the configured products cannot be listed, and of which nothing is read. */
function* productsStep(session: Session): Generator<Step> {
  const unserved = session.survey.unserved();
  if (unserved !== undefined) yield stepsNamed('products').warning(unserved);
  const listings = session.survey.listings();
  const unlisted = unlistedProducts(listings);
  if (unlisted.length === 0) return;
  yield stepsNamed('products').problem(
    `${unlisted.length} of ${listings.length} that are to be read cannot be listed: ${unlisted.join(', ')}; ` +
      'leave out of collectors.*.products what the account does not have',
  );
}

function* sourceSteps(session: Session): Generator<Step> {
  for (const collector of ['metrics', 'analytics'] as const) {
    if (session.account.collectors[collector] === undefined) continue;
    const { source, why } = session.survey.sources.of(collector);
    if (source === 'graphql')
      yield stepsNamed(`source of ${collector}`).ok(`GraphQL, at ${session.account.graphql_url}: ${why}`);
  }
}

/** Whether GraphQL has what is read by it alone: a read of each of these metrics. */
async function* furtherSteps(session: Session): AsyncGenerator<Step> {
  const asked = new Set<string>();
  for (const job of session.survey.jobs()) {
    const { product = '', metric = '' } = job.subject;
    const step = `${metric} of ${product}`;
    if (
      asked.has(step) ||
      !PRODUCTS.some(({ slug, onlyElsewhere }) => slug === product && onlyElsewhere?.includes(metric))
    )
      continue;
    asked.add(step);
    const finding = await session.poll(job, step);
    if (finding === undefined) continue;
    const { ok, warning } = stepsNamed(step);
    if (finding.outcome !== 'ok' && finding.outcome !== 'empty')
      yield warning(`it is left out: ${finding.reason}`);
    else if (finding.result?.warning !== undefined) yield warning(finding.result.warning);
    else yield ok(`GraphQL has it${finding.outcome === 'empty' ? ', and nothing was counted of late' : ''}`);
  }
}

/** Which metrics the analytics API has, where all are to be read. */
async function* metricsStep(session: Session): AsyncGenerator<Step> {
  const job = session.survey
    .jobs()
    .find((one) => partOf(one) === 'discovery' && one.subject.product === undefined);
  const finding = job && (await session.poll(job, 'metrics of analytics'));
  if (finding !== undefined) yield metadataStep(finding);
}

/** How many configurations of a list are read for their series; undefined when the list serves other ends. */
function selectedOf(session: Session, { group, subject: { product = '' } }: Job): number | undefined {
  const collector = group === 'metrics' ? 'metrics' : 'analytics';
  if (session.account.collectors[collector]?.products[product] === undefined) return undefined;
  const mine = session.survey
    .jobs()
    .filter(({ subject }) => subject.product === product && subject.collector === collector);
  return new Set(mine.flatMap(({ subject }) => subject.configuration_id ?? [])).size;
}

async function* seriesSteps(session: Session): AsyncGenerator<Step> {
  const { account, connection } = session;
  for (const collector of ['metrics', 'analytics'] as const) {
    if (account.collectors[collector] === undefined) continue;
    const step = `read of ${collector}`;
    const job = weightiest(session.survey.jobs().filter(({ subject }) => subject.collector === collector));
    if (job === undefined) {
      if (await areListed(session, ({ group }) => group === collector, step))
        yield stepsNamed(step).skipped(
          session.survey.sources.of(collector).source === 'graphql'
            ? 'there is nothing to read: GraphQL has none of the products that have configurations'
            : 'there is nothing to read: no configuration is selected',
        );
      continue;
    }
    const finding = await session.poll(job, step);
    const publish = account.publish_delay === 'auto' ? USUAL_PUBLISH_MS : account.publish_delay;
    if (finding !== undefined)
      yield seriesStep(finding, account, connection.platform.platformClock.now(), publish);
  }
}

function weightiest(jobs: readonly Job[]): Job | undefined {
  return jobs.toSorted((a, b) => b.weight - a.weight).find(({ weight }) => weight > 0);
}

async function* settingsSteps(session: Session): AsyncGenerator<Step> {
  const found: (readonly [CollectorName, Finding | undefined])[] = [];
  for (const name of Object.keys(COLLECTORS) as CollectorName[]) {
    if (session.account.collectors[name] === undefined) continue;
    const job = session.survey.jobs().find(({ subject }) => subject.collector === name);
    const needs: readonly Product[] = COLLECTORS[name].needs;
    const needed = ({ subject }: Job) => needs.some(({ slug }) => slug === subject.product);
    const finding = job && (await session.poll(job, name));
    const isChecked = job === undefined ? await areListed(session, needed, name) : finding !== undefined;
    if (isChecked) found.push([name, finding]);
  }
  // All reads that need a permission show together whether it is granted.
  const granted = grantedPermissions(found);
  for (const [name, finding] of found) yield settingsStep(name, finding, granted);
}

/** Whether the lists of configurations were read that say what there is to read for a step. */
async function areListed(session: Session, concerns: (list: Job) => boolean, step: string): Promise<boolean> {
  for (const job of listsOf(session).filter(concerns))
    if ((await session.poll(job, step)) === undefined) return false;
  return true;
}

function planStep(session: Session): Step {
  const { account, connection, findings } = session;
  const { ok, warning } = stepsNamed('plan');
  const { scopes } = connection.platform;
  const plan = planOf({
    account,
    jobs: session.survey.jobs(),
    findings,
    notes: [],
    listings: session.survey.listings(),
    scopes,
  });
  const untried = untriedMetrics(session);
  const atLeast = untried > 0 ? 'at least ' : '';
  const words = plan.scopes.map(
    ({ scope, demand, allowance }) =>
      `${atLeast}${plainNumber(demand)} operations per minute of ${scope} are needed, ${plainNumber(allowance)} are available`,
  );
  if (plan.fits && untried > 0) {
    const more = `products may have ${plainNumber(untried)} more of the listed metrics`;
    return ok(`${words.join('; ')}; ${more}: edge-exporter plan finds out`);
  }
  if (plan.fits) return ok(words.join('; '));
  return warning(
    `${words.join('; ')}: intervals will stretch; edge-exporter plan shows which, and what would help`,
  );
}

/** How many listed metrics are yet to be tried on products that are not documented to have them. */
function untriedMetrics(session: Session): number {
  const products = session.account.collectors.analytics?.products ?? {};
  return session.survey.jobs().filter((job) => {
    const { product = '', metric = '' } = job.subject;
    if (partOf(job) !== 'series' || job.group !== 'analytics') return false;
    const documented = PRODUCTS.find(({ api, slug }) => api === 'analytics' && slug === product);
    if (documented?.metrics.includes(metric) || products[product]?.metrics.includes(metric)) return false;
    return !session.findings.some((finding) => finding.job === job);
  }).length;
}
