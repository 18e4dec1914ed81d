import { partOf } from '../collectors.ts';
import { planOf } from '../plan/plan.ts';
import { plainNumber } from '../text/figures.ts';
import type { Session } from './session.ts';
import { type Step, stepsNamed } from './step.ts';

/** Returns whether the quota suffices for what the configuration asks for. */
export function planStep(session: Session): Step {
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

/** Number of listed metrics that are yet to be tried on products that are not documented to have them. */
function untriedMetrics({ survey }: Session): number {
  return survey.unpolled().filter((job) => partOf(job) === 'series' && job.group === 'analytics').length;
}
