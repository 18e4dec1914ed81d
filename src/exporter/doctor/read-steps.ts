import { DiscoveryJob } from '../account/discovery-job.ts';
import { MetadataJob } from '../account/metadata-job.ts';
import { SourceProbe } from '../account/source-probe.ts';
import { DIMENSIONS, facesOf } from '../catalogue/catalogue.ts';
import { PRODUCTS, type Product, type SeriesApi } from '../catalogue/products.ts';
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

/** One read of each kind that the configuration needs, what each permission gives, and whether the quota suffices. */
export async function* workSteps(session: Session): AsyncGenerator<Step> {
  yield* allSteps(session);
  yield judgedStep(session);
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
    await askSources(session);
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
    // That a source which has nothing of a product does not list its configurations is no mistake: of these together, see `productsStep`.
    const isNotServed = job instanceof DiscoveryJob && !session.survey.sources.serves(job.product);
    if (finding.outcome === 'not_found' && isNotServed) continue;
    yield listStep(finding, selectedOf(session, job), session.unmatched(job));
  }
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

/** Finds out which source has the series of each API. What fails here fails again as a read of series. */
async function askSources(session: Session): Promise<void> {
  for (const job of session.survey.jobs())
    if (job instanceof SourceProbe) await session.poll(job, `read of ${job.api}`);
}

function* sourceSteps(session: Session): Generator<Step> {
  for (const { collector, source, why } of session.survey.sources.chosen()) {
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
  const job = session.survey.jobs().find((one) => one instanceof MetadataJob);
  const finding = job && (await session.poll(job, 'metrics of analytics'));
  if (finding !== undefined) yield metadataStep(finding);
}

/** How many configurations of a list are read for their series; undefined when the list serves other ends. */
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

async function* seriesSteps(session: Session): AsyncGenerator<Step> {
  const { account, connection } = session;
  for (const collector of ['metrics', 'analytics'] as const) {
    const step = `read of ${collector}`;
    if (account.collectors[collector] === undefined || session.unchecked.includes(step)) continue;
    const own = session.survey.jobs().filter(({ subject }) => subject.collector === collector);
    const job = own.sort((a, b) => b.weight - a.weight).find(({ weight }) => weight > 0);
    if (job === undefined) {
      if (await areListed(session, ({ group }) => group === collector, step))
        yield stepsNamed(step).skipped(whyNothing(session, collector));
      continue;
    }
    const finding = await session.poll(job, step);
    for (const other of own.filter(oneOfEach)) await session.poll(other);
    const publish = account.publish_delay === 'auto' ? USUAL_PUBLISH_MS : account.publish_delay;
    if (finding !== undefined)
      yield seriesStep(finding, account, connection.platform.platformClock.now(), publish);
  }
}

function whyNothing({ survey: { sources } }: Session, api: SeriesApi): string {
  return sources.isRest(api)
    ? 'there is nothing to read: no configuration is selected'
    : 'there is nothing to read: GraphQL has none of the products that have configurations';
}

/** Whether it is the first job that reads its metric of its product: the others are answered alike. */
function oneOfEach({ subject }: Job, index: number, all: readonly Job[]): boolean {
  const isAlike = (other: Job) =>
    other.subject.product === subject.product && other.subject.metric === subject.metric;
  return all.findIndex(isAlike) === index;
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
