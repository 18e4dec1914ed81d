import { partOf } from '../account/job-part.ts';
import type { Product } from '../catalogue/products.ts';
import { COLLECTORS, type CollectorName } from '../collectors.ts';
import { planOf } from '../plan/account-plan.ts';
import type { Job } from '../poll/job.ts';
import { USUAL_PUBLISH_MS } from '../settling/delays.ts';
import { plainNumber } from '../text/numbers.ts';
import { analyticsStep, listStep, seriesStep, settingsStep } from './read-steps.ts';
import type { Session } from './session.ts';
import { type Step, stepsNamed } from './step.ts';

/** One read of each kind that the configuration needs, what each permission gives, and whether the quota suffices. */
export async function* workSteps(session: Session): AsyncGenerator<Step> {
  const unchecked: Unchecked[] = [];
  for await (const step of allSteps(session)) {
    if (typeof step.why === 'string') unchecked.push(step);
    else yield step;
  }
  const [first] = unchecked;
  if (first === undefined) return yield planStep(session);
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

async function* allSteps(session: Session): AsyncGenerator<Outcome> {
  const wantsSeries = Object.keys(session.account.collectors).some(isSeriesCollector);
  const closed = wantsSeries && (yield* permissionToRead(session));
  if (!closed) {
    yield* listSteps(session);
    yield* seriesSteps(session);
  }
  yield* settingsSteps(session);
}

/** Whether series are closed to the token, which one read tells for all. */
async function* permissionToRead(session: Session): AsyncGenerator<Outcome, boolean> {
  const job = session.jobs().find((job) => partOf(job) === 'discovery' || partOf(job) === 'series');
  if (job === undefined) return false;
  const finding = await session.poll(job);
  if (typeof finding === 'string') {
    yield { step: 'series', why: finding };
    return true;
  }
  yield analyticsStep(finding, session.account);
  return finding.outcome === 'forbidden';
}

async function* listSteps(session: Session): AsyncGenerator<Outcome> {
  for (const job of session.jobs().filter((job) => partOf(job) === 'discovery')) {
    const { product } = job.subject;
    const finding = await session.poll(job);
    if (typeof finding === 'string') yield { step: `list of ${product}`, why: finding };
    else yield listStep(finding, selectedOf(session, job), session.unmatched(job));
  }
}

/** How many configurations of a list are read for their series; undefined when the list serves other ends. */
function selectedOf(session: Session, { group, subject: { product = '' } }: Job): number | undefined {
  const collector = group === 'metrics' ? 'metrics' : 'analytics';
  if (session.account.collectors[collector]?.products[product] === undefined) return undefined;
  const mine = session.jobs().filter((job) => job.subject.product === product && job.group === group);
  return new Set(mine.flatMap(({ subject }) => subject.configuration_id ?? [])).size;
}

async function* seriesSteps(session: Session): AsyncGenerator<Outcome> {
  const { account, connection } = session;
  for (const collector of ['metrics', 'analytics'] as const) {
    if (account.collectors[collector] === undefined) continue;
    const job = weightiest(session.jobs().filter(({ subject }) => subject.collector === collector));
    if (job === undefined) {
      const why = await whyUnlisted(session, ({ group }) => group === collector);
      const step = `read of ${collector}`;
      yield why === undefined
        ? stepsNamed(step).skipped('there is nothing to read: no configuration is selected')
        : { step, why };
      continue;
    }
    const finding = await session.poll(job);
    const publish = account.publish_delay === 'auto' ? USUAL_PUBLISH_MS : account.publish_delay;
    if (typeof finding === 'string') yield { step: `read of ${collector}`, why: finding };
    else yield seriesStep(finding, account, connection.platform.platformClock.now(), publish);
  }
}

function weightiest(jobs: readonly Job[]): Job | undefined {
  return jobs.reduce<Job | undefined>(
    (most, job) => (job.weight > (most?.weight ?? 0) ? job : most),
    undefined,
  );
}

async function* settingsSteps(session: Session): AsyncGenerator<Outcome> {
  for (const name of Object.keys(COLLECTORS) as CollectorName[]) {
    if (session.account.collectors[name] === undefined) continue;
    const job = session.jobs().find(({ subject }) => subject.collector === name);
    const needs: readonly Product[] = COLLECTORS[name].needs;
    const needed = ({ subject }: Job) => needs.some(({ slug }) => slug === subject.product);
    const found = job === undefined ? await whyUnlisted(session, needed) : await session.poll(job);
    yield typeof found === 'string' ? { step: name, why: found } : settingsStep(name, found);
  }
}

/** Why the lists of configurations that say what there is to read were not read; undefined when they were. */
async function whyUnlisted(session: Session, concerns: (list: Job) => boolean): Promise<string | undefined> {
  for (const job of session.jobs().filter((job) => partOf(job) === 'discovery' && concerns(job))) {
    const finding = await session.poll(job);
    if (typeof finding === 'string') return finding;
  }
  return undefined;
}

function planStep(session: Session): Step {
  const { account, connection, findings } = session;
  const { ok, warning } = stepsNamed('plan');
  const { scopes } = connection.platform;
  const assumedLimit = account.quota.assumed_limit;
  const plan = planOf({ account, jobs: session.jobs(), findings, notes: [], scopes, assumedLimit });
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
