import { MetadataJob } from '../account/metadata-job.ts';
import { DIMENSIONS, facesOf } from '../catalogue/catalogue.ts';
import { PRODUCTS } from '../catalogue/products.ts';
import { COLLECTORS, type CollectorName } from '../collectors.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import { numberOf } from '../facts/cause-catalogue.ts';
import type { PartFacts } from '../facts/facts.ts';
import { partOf } from '../facts/job-facts.ts';
import { type AccountPlan, planOf } from '../plan/plan.ts';
import type { Finding, Survey } from '../plan/survey.ts';
import { type ObservedPlatform, TOKENS } from '../poll/observed-platform.ts';
import { wantedBy } from '../series/series-source.ts';
import { IdsUnavailable, LIST_PERMISSION } from '../settings/settings-reader.ts';
import type { QuotaStatus } from '../status.ts';
import type { AccountStatus } from '../status-document.ts';
import { addresses } from '../targets/target.ts';
import { duration, plainNumber, plainShare } from '../text/figures.ts';
import { type Step, stepsNamed } from './step.ts';

/** Account after its jobs were polled once. */
export interface Examined {
  readonly account: AccountConfig;
  readonly survey: Survey;
  readonly status: AccountStatus;
  readonly platform: ObservedPlatform;
}

/** Yields the facts: clock, quota, each part, sources, the condition of the account, and the plan. */
export function* factSteps(examined: Examined): Generator<Step> {
  const { account, survey, status, platform } = examined;
  yield clockStep(examined);
  yield* quotaSteps(status.quota, account);
  for (const part of status.facts.parts) yield partStep(part, examined);
  for (const name of settingsOf(account))
    if (!status.facts.parts.some((part) => part.name === name))
      yield stepsNamed(name).skipped('there is no configuration whose settings could be read');
  const unserved = survey.unserved();
  if (unserved !== undefined) yield stepsNamed('products').warning(unserved);
  yield* sourceSteps(examined);
  yield accountStep(status);
  const { findings } = survey;
  if (findings.every(({ outcome }) => outcome !== 'rate_limited')) {
    const plan = { account, jobs: survey.jobs(), findings, notes: [], listings: [], scopes: platform.scopes };
    yield planStep(planOf(plan), survey);
  }
}

/** Yields the quota of each limit scope for reads. */
export function* quotaSteps(quota: readonly QuotaStatus[], account: AccountConfig): Generator<Step> {
  for (const one of quota) if (one.scope !== TOKENS) yield quotaStep(one, account);
}

function clockStep({ platform, status }: Examined): Step {
  const { ok, problem, skipped } = stepsNamed('clock');
  if (!platform.platformClock.known) return skipped('the answers have no Date header to compare with');
  const cause = status.facts.causes.find(({ kind }) => kind === 'clock' || kind === 'platform_clock');
  return cause === undefined
    ? ok('this machine and the platform agree')
    : problem(`${cause.text}. ${cause.next}`);
}

/** Share of the limit from which the operations of other clients are a warning. */
const MUCH_OF_OTHERS = 0.4;

function quotaStep(quota: QuotaStatus, { quota: { reserve } }: AccountConfig): Step {
  const { ok, warning, problem } = stepsNamed('quota');
  const { scope, limit, assumed_limit: assumed, remaining, own, stopped_until: stopped, note } = quota;
  if (stopped !== null)
    return problem(
      `${scope}: refused (429) until ${stopped.slice(11, 19)} UTC; the token has other clients, or an exporter is running`,
    );
  if (limit === null) {
    const text = `${scope}: ${plainNumber(assumed ?? 0)} operations per minute are assumed; ${note}`;
    return note.includes('quota.assumed_limit') ? warning(text) : ok(text);
  }
  const left = remaining === null ? '' : `, ${plainNumber(remaining)} left in this window`;
  const text = `${scope}: ${plainNumber(limit)} operations per minute${left}; ${plainShare(reserve)} are reserved${note === '' ? '' : `; ${note}`}`;
  const others = remaining === null ? 0 : limit - remaining - own;
  return others <= limit * MUCH_OF_OTHERS
    ? ok(text)
    : warning(
        `${text}; other clients of the token have taken ${plainNumber(others)}: polls will wait, give the exporter a token of its own`,
      );
}

/** Returns the step of one part, from its polls. */
function partStep(part: PartFacts, examined: Examined): Step {
  const { account, survey, status } = examined;
  const { name, state, product, tally } = part;
  const { ok, warning, problem, skipped } = stepsNamed(name);
  const ends = survey.findings.filter(({ job }) => partOf({ id: job.id, ...job.subject }) === name);
  const [failed] = ends.filter(({ reason }) => reason !== undefined);
  const notes = ends.flatMap(noteOf);
  if (product !== undefined)
    notes.push(...listNotes(product, listOf(ends)?.configurations.length ?? 0, examined));
  if (failed !== undefined) {
    const text = [
      `${namedRead(failed, part)} cannot be read: ${failed.reason}${denied(failed, examined)}`,
      ...notes,
    ];
    const isPart = tally.failing < tally.polled && state !== 'no_data';
    // Ids of settings can also come from another list.
    const isForOthers = product !== undefined && !isConfigured(product, account);
    return isPart || isForOthers
      ? warning(text.join('; '))
      : problem(text.join('; '), familiesOf(part, account));
  }
  if (tally.polled === 0) return skipped('not read');
  const cause = status.facts.causes.find(({ kind }) => kind === part.cause);
  if (cause !== undefined) notes.push(cause.text);
  const text = [seen(part, ends, examined), ...notes].join('; ');
  return notes.length === 0 ? ok(text) : warning(text);
}

function isConfigured(product: string, { collectors: { metrics, analytics } }: AccountConfig): boolean {
  return [metrics, analytics].some((series) => Object.hasOwn(series?.products ?? {}, product));
}

function namedRead({ job: { subject } }: Finding, { product, tally }: PartFacts): string {
  if (product === undefined) return 'it';
  if (subject.metric === undefined) return tally.series > 0 ? 'its list' : 'its list of configurations';
  return `${subject.metric} of ${subject.configuration ?? product}`;
}

/** Returns a clause about a refused read if another read proves that its permission is granted; else an empty text. */
function denied({ job, outcome, failure }: Finding, { survey }: Examined): string {
  if (outcome !== 'forbidden' || failure instanceof IdsUnavailable) return '';
  const permission = permissionOf(job.subject.collector);
  return isGranted(permission, survey)
    ? `; ${permission} is granted, since another read needs it: does the account have the product?`
    : `; grant ${permission} to the token's user in the platform's console`;
}

function permissionOf(collector: string): string {
  return isSettings(collector) ? COLLECTORS[collector].permission : LIST_PERMISSION;
}

function isSettings(name: string): name is CollectorName {
  return Object.hasOwn(COLLECTORS, name);
}

function settingsOf({ collectors }: AccountConfig): CollectorName[] {
  return (Object.keys(COLLECTORS) as CollectorName[]).filter((name) => collectors[name] !== undefined);
}

/** Returns true if a read proves the permission. An empty answer about items of another list proves nothing. */
function isGranted(permission: string, { findings }: Survey): boolean {
  return findings.some(({ job: { subject }, outcome }) => {
    if (permissionOf(subject.collector) !== permission) return false;
    const isProof =
      !isSettings(subject.collector) || COLLECTORS[subject.collector].listPermissions.length === 0;
    return outcome === 'ok' || (outcome === 'empty' && isProof);
  });
}

/** Returns the figures of a part that was read. */
function seen(
  { product, collector, tally }: PartFacts,
  ends: readonly Finding[],
  { survey, account }: Examined,
): string {
  const permission = permissionOf(collector);
  const granted = isGranted(permission, survey) ? `${permission} is granted: ` : '';
  const series = ends.reduce((sum, end) => sum + (end.series ?? 0), 0);
  if (product === undefined)
    return `${granted}${series === 0 ? 'there is nothing to show' : `${plainNumber(series)} series from the first read`}`;
  const list = listOf(ends);
  const found = list?.configurations.flatMap((one) => addresses(one, list.addressing)).length;
  const [first] = ends.filter(({ result }) => result?.buckets?.newestExposed !== undefined);
  const { metric, configuration = product } = first?.job.subject ?? {};
  const lists =
    found === undefined
      ? []
      : [
          `${plainNumber(found)} found, ${isConfigured(product, account) ? `${plainNumber(selectedOf(product, survey))} read` : 'for the settings of each'}`,
        ];
  const data =
    first === undefined
      ? []
      : [
          `${metric} of ${configuration} has ${numberOf(first.result?.buckets?.dimensions ?? 0, 'dimension')}, its data is ${duration(tally.oldestSeconds ?? 0)} old`,
        ];
  return granted + [...lists, ...data].join('; ');
}

function listOf(ends: readonly Finding[]) {
  return ends.find(({ result }) => result?.discovery !== undefined)?.result?.discovery;
}

/** Returns the number of a product's configurations whose series are read. */
function selectedOf(product: string, { targets }: Survey): number {
  const reads = targets.products
    .filter((one) => one.product.slug === product)
    .flatMap((one) => targets.reads(one))
    .filter(({ target }) => target.by === 'configuration');
  return new Set(reads.map(({ target }) => target.id)).size;
}

/** Returns the oddities of an answer. */
function noteOf({ result, rejected }: Finding): string[] {
  const rows = [...(rejected?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  const of = result?.buckets === undefined ? '' : ` of ${plainNumber(result.buckets.rows)}`;
  return [
    ...(result?.warning === undefined ? [] : [result.warning]),
    ...(rows === 0 ? [] : [`${plainNumber(rows)}${of} rows make no sense`]),
  ];
}

/** Returns notes on configured names that a product's list lacks. */
function listNotes(slug: string, listed: number, { account, survey }: Examined): string[] {
  if (!isConfigured(slug, account)) return [];
  const listings = survey.listings().filter(({ product }) => product.slug === slug);
  const unmatched = listings.flatMap((listing) => listing.unmatched).map((name) => JSON.stringify(name));
  const isUnselected = listed > 0 && selectedOf(slug, survey) === 0;
  return [
    ...(isUnselected ? ['none is both active and selected: look at configurations.include and exclude'] : []),
    ...(unmatched.length === 0 ? [] : [`nothing matches ${unmatched.join(', ')} of configurations.include`]),
  ];
}

/** Returns the names of the known families that are absent without a part. */
function familiesOf({ product, collector }: PartFacts, { collectors }: AccountConfig): readonly string[] {
  if (isSettings(collector)) return COLLECTORS[collector].families.map(({ name }) => name);
  const faces = PRODUCTS.filter(({ slug }) => slug === product).flatMap(({ api, metrics: all }) => {
    const { metrics = [], dimensions = [], by = [] } = collectors[api]?.products[product ?? ''] ?? {};
    const wants = wantedBy(dimensions);
    return metrics
      .flatMap((name) => (name === '*' ? all : [name]))
      .flatMap((metric) => (DIMENSIONS[metric] ?? ['total']).map((dimension) => ({ metric, dimension })))
      .filter(({ dimension }) => wants(dimension))
      .flatMap(({ metric, dimension }) => by.map((scope) => facesOf(metric, dimension, { scope })));
  });
  return [
    ...new Set(
      faces.flatMap(({ gauge, counter }) => [gauge, counter ?? gauge]).map(({ family }) => family.name),
    ),
  ];
}

function* sourceSteps({ account, survey }: Examined): Generator<Step> {
  for (const { collector, source, why, missing } of survey.sources.chosen()) {
    if (source !== 'graphql') continue;
    const { ok, warning } = stepsNamed(`source of ${collector}`);
    const text = `GraphQL, at ${account.graphql_url}: ${why}`;
    yield missing.length === 0
      ? ok(text)
      : warning(`${text}; it has no ${missing.join(', ')}: series of these fields are absent`);
  }
}

/** Returns the condition of the account as a running exporter would report it. */
function accountStep({ facts: { state, says, causes } }: AccountStatus): Step {
  const { ok, warning, problem } = stepsNamed('judgement');
  const [first, ...others] = causes;
  const more =
    others.length === 0
      ? ''
      : `; ${numberOf(others.length, 'other cause')}: ${others.map(({ text }) => text).join('; ')}`;
  const next = first === undefined ? '' : `. ${first.next.replaceAll('`', '')}`;
  const text = `a running exporter would say that the account ${says}${more}${next}`;
  if (state === 'no_data' || state === 'down') return problem(text);
  return state === 'well' && first === undefined ? ok(text) : warning(text);
}

/** Returns the step of the plan. Metrics that only the platform lists are not included; `plan` counts them. */
function planStep({ fits, scopes }: AccountPlan, survey: Survey): Step {
  const { ok, warning } = stepsNamed('plan');
  const least = survey.jobs().some((job) => job instanceof MetadataJob) ? 'at least ' : '';
  const words = scopes
    .map(
      ({ scope, demand, allowance }) =>
        `${least}${plainNumber(demand)} operations per minute of ${scope} are needed, ${plainNumber(allowance)} are available`,
    )
    .join('; ');
  return fits
    ? ok(words)
    : warning(`${words}: intervals will stretch; edge-exporter plan shows which, and what would help`);
}
