import { partOf } from '../account/job-part.ts';
import type { Product } from '../catalogue/products.ts';
import { COLLECTORS, type CollectorName } from '../collectors.ts';
import { planOf } from '../plan/account-plan.ts';
import { plainNumber } from '../plan/plain-words.ts';
import type { Job } from '../poll/job.ts';
import type { Collector } from '../settings/collector.ts';
import { USUAL_PUBLISH_MS } from '../settling/delays.ts';
import type { Patient } from './patient.ts';
import { analyticsStep, listStep, seriesStep, settingsStep } from './read-steps.ts';
import { type Step, stepsNamed } from './step.ts';

/** One read of each kind that the configuration needs, what each permission gives, and whether the quota suffices. */
export async function* workSteps(patient: Patient): AsyncGenerator<Step> {
  const unchecked: Unchecked[] = [];
  for await (const step of allSteps(patient)) {
    if (typeof step.why === 'string') unchecked.push(step);
    else yield step;
  }
  const [first] = unchecked;
  if (first === undefined) return yield planStep(patient);
  yield stepsNamed('not checked').problem(
    `${first.why}: ${unchecked.map(({ step }) => step).join(', ')}, plan`,
  );
}

/** A step that could not be done, and why. */
interface Unchecked {
  readonly step: string;
  readonly why: string;
}

/** Either of the two, told apart by why. */
type Outcome = Unchecked | (Step & { readonly why?: never });

async function* allSteps(patient: Patient): AsyncGenerator<Outcome> {
  const wantsSeries = Object.keys(patient.account.collectors).some(isSeriesCollector);
  const closed = wantsSeries && (yield* permissionToRead(patient));
  if (!closed) {
    yield* listSteps(patient);
    yield* seriesSteps(patient);
  }
  yield* settingsSteps(patient);
}

/** Whether series are closed to the token, which one read tells for all. */
async function* permissionToRead(patient: Patient): AsyncGenerator<Outcome, boolean> {
  const job = patient.jobs().find((job) => partOf(job) === 'discovery' || partOf(job) === 'series');
  if (job === undefined) return false;
  const finding = await patient.look(job);
  if (typeof finding === 'string') {
    yield { step: 'series', why: finding };
    return true;
  }
  yield analyticsStep(finding, patient.account);
  return finding.outcome === 'forbidden';
}

async function* listSteps(patient: Patient): AsyncGenerator<Outcome> {
  for (const job of patient.jobs().filter((job) => partOf(job) === 'discovery')) {
    const { product } = job.subject;
    const finding = await patient.look(job);
    if (typeof finding === 'string') yield { step: `list of ${product}`, why: finding };
    else yield listStep(finding, selectedOf(patient, job), patient.unmatched(job));
  }
}

/** How many configurations of a list are read for their series; undefined when the list serves other ends. */
function selectedOf(patient: Patient, { group, subject: { product = '' } }: Job): number | undefined {
  const collector = group === 'metrics' ? 'metrics' : 'analytics';
  if (patient.account.collectors[collector]?.products[product] === undefined) return undefined;
  const mine = patient.jobs().filter((job) => job.subject.product === product && job.group === group);
  return new Set(mine.flatMap(({ subject }) => subject.configuration_id ?? [])).size;
}

async function* seriesSteps(patient: Patient): AsyncGenerator<Outcome> {
  const { account, connection } = patient;
  for (const collector of ['metrics', 'analytics'] as const) {
    if (account.collectors[collector] === undefined) continue;
    const job = weightiest(patient.jobs().filter(({ subject }) => subject.collector === collector));
    if (job === undefined) {
      const why = await whyUnlisted(patient, ({ group }) => group === collector);
      const step = `read of ${collector}`;
      yield why === undefined
        ? stepsNamed(step).skipped('there is nothing to read: no configuration is selected')
        : { step, why };
      continue;
    }
    const finding = await patient.look(job);
    const publish = account.publish_delay === 'auto' ? USUAL_PUBLISH_MS : account.publish_delay;
    if (typeof finding === 'string') yield { step: `read of ${collector}`, why: finding };
    else yield seriesStep(finding, account, connection.link.platformClock.now(), publish);
  }
}

function weightiest(jobs: readonly Job[]): Job | undefined {
  return jobs.reduce<Job | undefined>(
    (most, job) => (job.weight > (most?.weight ?? 0) ? job : most),
    undefined,
  );
}

async function* settingsSteps(patient: Patient): AsyncGenerator<Outcome> {
  for (const name of Object.keys(COLLECTORS) as CollectorName[]) {
    if (patient.account.collectors[name] === undefined) continue;
    const job = patient.jobs().find(({ subject }) => subject.collector === name);
    const needs: readonly Product[] = (COLLECTORS[name] as Collector).needs ?? [];
    const needed = ({ subject }: Job) => needs.some(({ slug }) => slug === subject.product);
    const found = job === undefined ? await whyUnlisted(patient, needed) : await patient.look(job);
    yield typeof found === 'string' ? { step: name, why: found } : settingsStep(name, found);
  }
}

/** Why the lists of configurations that say what there is to read were not read; undefined when they were. */
async function whyUnlisted(patient: Patient, concerns: (list: Job) => boolean): Promise<string | undefined> {
  for (const job of patient.jobs().filter((job) => partOf(job) === 'discovery' && concerns(job))) {
    const finding = await patient.look(job);
    if (typeof finding === 'string') return finding;
  }
  return undefined;
}

function planStep(patient: Patient): Step {
  const { account, connection, findings } = patient;
  const { ok, warning } = stepsNamed('plan');
  const { scopes } = connection.link;
  const assumedLimit = account.quota.assumed_limit;
  const plan = planOf({ account, jobs: patient.jobs(), findings, notes: [], scopes, assumedLimit });
  const words = plan.scopes.map(
    ({ scope, demand, allowance }) =>
      `${plainNumber(demand)} operations a minute of ${scope} are asked for, ${plainNumber(allowance)} may be used`,
  );
  if (plan.fits) return ok(words.join('; '));
  return warning(
    `${words.join('; ')}: intervals will stretch; edge-exporter plan tells which, and what would help`,
  );
}

function isSeriesCollector(name: string): boolean {
  return name === 'metrics' || name === 'analytics';
}
