import { DiscoveryJob } from '../account/discovery-job.ts';
import { MetadataJob } from '../account/metadata-job.ts';
import { DIMENSIONS, facesOf } from '../catalogue/catalogue.ts';
import { PRODUCTS, type SeriesApi } from '../catalogue/products.ts';
import { COLLECTORS, type CollectorName, partOf } from '../collectors.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import { unlistedProducts } from '../plan/plan.ts';
import type { Finding } from '../plan/survey.ts';
import type { Job } from '../poll/job.ts';
import { wantedBy } from '../series/series-source.ts';
import { IdsUnavailable, LIST_PERMISSION } from '../settings/settings-reader.ts';
import { USUAL_PUBLISH_MS } from '../settling/learned.ts';
import { MINUTE_MS } from '../settling/window.ts';
import { addresses } from '../targets/target.ts';
import { duration, plainNumber } from '../text/figures.ts';
import { judgedStep } from './judged-step.ts';
import { planStep } from './plan-step.ts';
import type { Session } from './session.ts';
import { type Step, stepsNamed } from './step.ts';

/** How much later (ms) than their delay buckets may come before it is worth a warning. */
const LATE_MS = 5 * MINUTE_MS;

/**
 * What the list of a product's configurations showed.
 * @param selected how many of them are read for their series; undefined when none is asked for
 * @param unmatched what is asked for by name and not in the list
 */
export function listStep(
  { job, outcome, reason = '', result }: Finding,
  selected: number | undefined,
  unmatched: readonly string[],
): Step {
  const product = job.subject.product ?? '';
  const { configurations = [], addressing = 'domain' } = result?.discovery ?? {};
  const found = plainNumber(configurations.flatMap((one) => addresses(one, addressing)).length);
  const { ok, warning, problem } = stepsNamed(`list of ${product}`);
  const gone = unmatched.map((name) => JSON.stringify(name)).join(', ');
  const unmatchedNotice = gone === '' ? undefined : `nothing matches ${gone} of configurations.include`;
  const notices = [unmatchedNotice, result?.warning].filter((notice) => notice !== undefined);
  const verdict = (text: string) =>
    notices.length === 0 ? ok(text) : warning([text, ...notices].join('; '));
  if (outcome === 'empty') return verdict('no configurations: nothing to export');
  if (outcome !== 'ok') {
    const text = `its configurations cannot be listed (${reason})`;
    if (selected === undefined)
      return warning(`${text}: the settings of each take their ids from another list`);
    const shown = job.group === 'analytics' ? 'only the product as a whole' : 'none of its metrics';
    return problem(`${text}: ${shown} will be exported`);
  }
  if (selected === undefined) return ok(`${found} found, for the settings of each`);
  if (selected > 0) return verdict(`${found} found, ${plainNumber(selected)} read`);
  const text = `${found} found, but none is both active and selected`;
  return gone === '' ? warning(`${text}: look at configurations.include and exclude`) : verdict(text);
}

/** What the list of the metrics of the analytics API showed. */
export function metadataStep({ outcome, reason = '', result }: Finding): Step {
  const { ok, warning } = stepsNamed('metrics of analytics');
  const instead = 'those that are documented are read';
  if (outcome === 'empty') return warning(`the platform lists none: ${instead}`);
  if (outcome !== 'ok') return warning(`they cannot be listed (${reason}): ${instead}`);
  return ok(`${plainNumber(result?.metrics?.length ?? 0)} listed`);
}

/** What a read of series showed. @param now the platform's time @param publishDelayMs age at which buckets are shown */
export function seriesStep(
  finding: Finding,
  account: AccountConfig,
  now: number,
  publishDelayMs: number,
): Step {
  const { job, outcome, reason = '', result } = finding;
  const { collector, metric = '', configuration = '', product = '' } = job.subject;
  const { ok, warning, problem } = stepsNamed(`read of ${collector}`);
  const what = `${metric} of ${configuration || product}`;
  if (outcome !== 'ok' && outcome !== 'empty') {
    const api = collector === 'metrics' ? 'metrics' : 'analytics';
    return problem(
      `${what} cannot be read: ${reason}`,
      outcome === 'forbidden' ? seriesFamilies(account, [api]) : [],
    );
  }
  const rejected = [...(result?.rejected?.values() ?? [])].reduce((sum, rows) => sum + rows, 0);
  const { dimensions = 0, rows = 0, width = MINUTE_MS, newestExposed } = result?.buckets ?? {};
  if (newestExposed === undefined)
    return warning(`${what} was answered without a bucket that can be shown: is there any traffic?`);
  const age = now - newestExposed - width;
  const text = `${what}: ${plainNumber(dimensions)} ${dimensions === 1 ? 'dimension' : 'dimensions'} in buckets of ${duration(width / 1_000)}, the newest shown closed ${duration(age / 1_000)} ago`;
  if (rejected > 0)
    return warning(`${text}; ${plainNumber(rejected)} of ${plainNumber(rows)} rows make no sense`);
  return age > publishDelayMs + LATE_MS ? warning(`${text}: the platform is late`) : ok(text);
}

/** What the first reads of settings prove to be granted: an item of a list that another permission gives proves nothing. */
export function grantedPermissions(
  found: readonly (readonly [CollectorName, Finding | undefined])[],
): ReadonlySet<string> {
  const proven = found.filter(([name, finding]) =>
    finding?.outcome === 'empty' ? COLLECTORS[name].listPermissions.length === 0 : finding?.outcome === 'ok',
  );
  return new Set(proven.map(([name]) => COLLECTORS[name].permission));
}

/** What the first read of a collector of settings showed. @param granted permissions that some read has proven to be granted */
export function settingsStep(
  name: CollectorName,
  finding: Finding | undefined,
  granted: ReadonlySet<string>,
): Step {
  const { ok, problem, skipped } = stepsNamed(name);
  const { permission, families } = COLLECTORS[name];
  if (finding === undefined) return skipped('there is no configuration whose settings could be read');
  const { outcome, reason = '', series = 0, failure } = finding;
  const absent = families.map((family) => family.name);
  const isGranted = granted.has(permission);
  if (outcome === 'forbidden') {
    if (failure instanceof IdsUnavailable) return problem(`it cannot be read: ${reason}`, absent);
    if (!isGranted) return problem(missing(permission), absent);
    const text = `it is refused (HTTP 403), though ${permission} is granted: does the account have the product?`;
    return problem(text, absent);
  }
  const proof = isGranted ? `${permission} is granted: ` : '';
  if (outcome === 'ok') return ok(`${proof}${plainNumber(series)} series from the first read`);
  if (outcome === 'empty') return ok(`${proof}there is nothing to show`);
  return problem(`it cannot be read: ${reason}`, absent);
}

/** What the permission to read series is called (section 5), and whether what was read proves that it is granted. */
export function analyticsStep(findings: readonly Finding[], account: AccountConfig): Step {
  const { ok, problem, skipped } = stepsNamed('series');
  const met = new Set(findings.map(({ outcome }) => outcome));
  if (met.has('ok') || met.has('empty')) return ok('Analytics is granted');
  if (!met.has('forbidden'))
    return skipped('whether Analytics is granted cannot be told: nothing that needs it was answered');
  return problem(missing(LIST_PERMISSION), seriesFamilies(account, ['metrics', 'analytics']));
}

function missing(permission: string): string {
  return `the token's user lacks the permission ${permission} (HTTP 403): grant it in the account's console`;
}

/** Names of the families that an account shows of the series of these APIs, as far as the catalogue knows. */
function seriesFamilies({ collectors }: AccountConfig, apis: readonly SeriesApi[]): readonly string[] {
  const names = new Set<string>();
  for (const product of PRODUCTS) {
    const settings = apis.includes(product.api) ? collectors[product.api]?.products[product.slug] : undefined;
    if (settings === undefined) continue;
    const metrics = settings.metrics.flatMap((name) => (name === '*' ? product.metrics : [name]));
    const wants = wantedBy(settings.dimensions);
    for (const metric of metrics) {
      for (const dimension of (DIMENSIONS[metric] ?? ['total']).filter((name) => wants(name))) {
        for (const scope of settings.by) {
          const { gauge, counter } = facesOf(metric, dimension, { scope });
          names.add(gauge.family.name);
          if (counter !== undefined) names.add(counter.family.name);
        }
      }
    }
  }
  return [...names];
}

/** Yields what the reads show: permissions, lists, series, settings, the judgement of a running exporter, and the plan. */
export function* readSteps(session: Session): Generator<Step> {
  const { metrics, analytics } = session.account.collectors;
  const ofSeries = session.findings.filter(({ job }) => isList(job) || partOf(job) === 'series');
  const permission = analyticsStep(ofSeries, session.account);
  if (metrics !== undefined || analytics !== undefined) yield permission;
  if (permission.status !== 'problem') {
    yield* listSteps(session);
    yield* productsStep(session);
    yield* seriesSteps(session);
    yield* sourceSteps(session);
  }
  yield* settingsSteps(session);
  yield judgedStep(session);
  if (session.whyUnchecked === '') yield planStep(session);
  else {
    const names = new Set(session.survey.unpolled().map(stepNameOf));
    yield stepsNamed('not checked').problem(`${session.whyUnchecked}: ${[...names, 'plan'].join(', ')}`);
  }
}

function stepNameOf(job: Job): string {
  const { collector, product } = job.subject;
  if (job instanceof MetadataJob) return 'metrics of analytics';
  if (isList(job)) return `list of ${product}`;
  return partOf(job) === 'settings' ? collector : `read of ${job.group}`;
}

function isList(job: Job): boolean {
  return partOf(job) === 'discovery' && job.subject.product !== undefined;
}

function* listSteps(session: Session): Generator<Step> {
  for (const finding of session.findings) {
    const { job, outcome } = finding;
    if (job instanceof MetadataJob) yield metadataStep(finding);
    if (!isList(job)) continue;
    // What a source has nothing of it does not list either: see `productsStep`.
    const isNotServed = job instanceof DiscoveryJob && !session.survey.sources.serves(job.product);
    const isReplaced = outcome !== 'ok' && !session.survey.jobs().includes(job) && isListed(session, job);
    if ((outcome === 'not_found' && isNotServed) || isReplaced) continue;
    yield listStep(finding, selectedOf(session, job), session.unmatched(job));
  }
}

/** True if another source has listed the product of a list that failed. */
function isListed({ findings }: Session, { subject }: Job): boolean {
  return findings.some(
    ({ job, outcome }) => isList(job) && job.subject.product === subject.product && outcome === 'ok',
  );
}

/** Yields how many of the configured products cannot be listed, and of which nothing is read. */
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
  for (const { collector, source, why } of session.survey.sources.chosen()) {
    if (source === 'graphql')
      yield stepsNamed(`source of ${collector}`).ok(`GraphQL, at ${session.account.graphql_url}: ${why}`);
  }
}

/** Returns how many configurations of a list are read for their series; undefined when the list serves other ends. */
function selectedOf(session: Session, { group, subject: { product = '' } }: Job): number | undefined {
  const collector = group === 'metrics' ? 'metrics' : 'analytics';
  if (session.account.collectors[collector]?.products[product] === undefined) return undefined;
  const { targets } = session.survey;
  const mine = targets.products.filter(
    (read) => read.product.slug === product && read.product.api === collector,
  );
  const reads = mine
    .flatMap((read) => targets.reads(read))
    .filter(({ target }) => target.by === 'configuration');
  return new Set(reads.map(({ target }) => target.id)).size;
}

/** Yields the read of each API that matters most, and of what GraphQL alone has each metric. */
function* seriesSteps(session: Session): Generator<Step> {
  const { account, connection, survey } = session;
  const publish = account.publish_delay === 'auto' ? USUAL_PUBLISH_MS : account.publish_delay;
  const wanted = new Set(survey.jobs());
  const series = session.findings.filter(({ job }) => partOf(job) === 'series' && wanted.has(job));
  for (const collector of ['metrics', 'analytics'] as const) {
    if (account.collectors[collector] === undefined) continue;
    const own = series.filter(({ job }) => job.subject.collector === collector);
    const [first] = own.toSorted((a, b) => b.job.weight - a.job.weight);
    if (first !== undefined)
      yield seriesStep(first, account, connection.platform.platformClock.now(), publish);
    else if (session.whyUnchecked === '')
      yield stepsNamed(`read of ${collector}`).skipped(whyNothing(session, collector));
  }
  for (const finding of series) if (isOnlyElsewhere(finding.job)) yield furtherStep(finding);
}

/** True for a metric that REST does not have. */
function isOnlyElsewhere({ subject: { product, metric = '' } }: Job): boolean {
  return PRODUCTS.some(({ slug, onlyElsewhere }) => slug === product && onlyElsewhere?.includes(metric));
}

function furtherStep({ job: { subject }, outcome, reason, result }: Finding): Step {
  const { ok, warning } = stepsNamed(`${subject.metric} of ${subject.product}`);
  if (outcome !== 'ok' && outcome !== 'empty') return warning(`it is left out: ${reason}`);
  if (result?.warning !== undefined) return warning(result.warning);
  return ok(`GraphQL has it${outcome === 'empty' ? ', and nothing was counted of late' : ''}`);
}

function whyNothing({ survey: { sources } }: Session, api: SeriesApi): string {
  return sources.isRest(api)
    ? 'there is nothing to read: no configuration is selected'
    : 'there is nothing to read: GraphQL has none of the products that have configurations';
}

function* settingsSteps(session: Session): Generator<Step> {
  const found = (Object.keys(COLLECTORS) as CollectorName[])
    .filter((name) => session.account.collectors[name] !== undefined)
    .map((name) => [name, session.findings.find(({ job }) => job.subject.collector === name)] as const)
    .filter(([, finding]) => finding !== undefined || session.whyUnchecked === '');
  // All reads that need a permission show together whether it is granted.
  const granted = grantedPermissions(found);
  for (const [name, finding] of found) yield settingsStep(name, finding, granted);
}
