import type { AlertDraft } from './alert.ts';
import { recorded } from './baseline-rules.ts';
import { meanOf, ratio5xx } from './error-rules.ts';
import { MEASURE, recordedResponses, SCOPE_NAMES, type Scope } from './measures.ts';
import { duration, range } from './promql.ts';
import type { BurnName, Thresholds } from './thresholds.ts';
import { seriesValue, WHOM } from './wording.ts';

const BURNS: readonly BurnName[] = ['fast', 'slow', 'creeping'];

const CONFIGURATION_VARIABLES = ['account', 'product', 'configuration'] as const;

function opened(scope: Scope): Pick<AlertDraft, 'dashboard' | 'variables'> {
  return scope === 'account'
    ? { dashboard: 'edge-overview', variables: ['account', 'product'] }
    : { dashboard: 'edge-configuration', variables: CONFIGURATION_VARIABLES };
}

/** Server errors eat the budget too fast: over a short window, so that it ends soon, and over a long one. */
export function serverErrorAlerts(thresholds: Thresholds): readonly AlertDraft[] {
  return BURNS.flatMap((burn) => SCOPE_NAMES.map((scope) => burnAlert(burn, scope, thresholds)));
}

function burnAlert(burn: BurnName, scope: Scope, { times, errors5xx }: Thresholds): AlertDraft {
  const [short, long] = times.burn[burn];
  const share = Number((errors5xx.burn[burn] * errors5xx.budget).toPrecision(4));
  const over = (window: number): string => `${ratio5xx(scope, window)} > ${share}`;
  const enough = (kind: 'all' | 'serverErrors', least: number): string =>
    `${meanOf(scope, kind, short)} >= ${least}`;
  // A ticket must not wait for a burst to be large: over hours, small errors that last are what it is for.
  const most = burn === 'creeping' ? [] : [enough('serverErrors', errors5xx.minimumErrors)];
  return {
    alert: 'Edge5xxRatio',
    expr: [over(short), over(long), enough('all', errors5xx.minimumRequests[burn]), ...most].join('\nand\n'),
    ...(burn === 'creeping' ? {} : { hold: 2 * times.minute, keepFiring: times.keepFiring }),
    severity: burn === 'creeping' ? 'ticket' : 'page',
    about: 'traffic',
    labels: { scope, burn },
    summary: `{{ $value | humanizePercentage }} server errors on ${WHOM[scope]}`,
    description: `{{ $value | humanizePercentage }} of the responses of ${WHOM[scope]} in the last ${duration(short)} were 5xx, and ${seriesValue(ratio5xx(scope, long), { by: [] }, scope, 'humanizePercentage')} in the last ${duration(long)}: ${errors5xx.burn[burn]} times what a budget of ${errors5xx.budget * 100} % allows.`,
    ...opened(scope),
  };
}

/** The share of client errors is far above what is usual. */
export function clientErrorAlerts({ times, errors4xx }: Thresholds): readonly AlertDraft[] {
  return SCOPE_NAMES.map((scope) => {
    const names = recorded(scope, MEASURE.clientErrors);
    const now = `avg_over_time(${range(names.value, times.smoothing, times.minute)})`;
    const traffic = `avg_over_time(${range(recordedResponses(scope, 'all'), times.smoothing, times.minute)})`;
    return {
      alert: 'Edge4xxRatio',
      expr: `${now} > ${errors4xx.share}\nand\n${now} > ${errors4xx.seasonal} * ${names.seasonal}\nand\n${traffic} >= ${errors4xx.minimumRequests}`,
      hold: times.holdSlow,
      keepFiring: times.keepFiring,
      severity: 'ticket',
      about: 'traffic',
      labels: { scope },
      summary: `{{ $value | humanizePercentage }} client errors on ${WHOM[scope]}`,
      description: `{{ $value | humanizePercentage }} of the responses of ${WHOM[scope]} are 4xx; usual at this hour are ${seriesValue(names.seasonal, { by: [] }, scope, 'humanizePercentage')}.`,
      ...opened(scope),
    };
  });
}

/** The cache saves far less than usual: the origin has to answer the rest. */
export function offloadAlerts({ times, offload }: Thresholds): readonly AlertDraft[] {
  return SCOPE_NAMES.map((scope) => {
    const names = recorded(scope, MEASURE.offload);
    const requests = recorded(scope, MEASURE.requests).value;
    const now = `avg_over_time(${range(names.value, times.smoothing, times.minute)})`;
    return {
      alert: 'EdgeOffloadCollapse',
      expr: `${now} < ${names.seasonal} - ${offload.loss}\nand\navg_over_time(${range(requests, times.smoothing, times.minute)}) >= ${offload.minimumRequests}`,
      hold: times.holdSlow,
      keepFiring: times.keepFiring,
      severity: 'ticket',
      about: 'traffic',
      labels: { scope },
      summary: `The cache serves only {{ $value | humanizePercentage }} of ${WHOM[scope]}`,
      description: `{{ $value | humanizePercentage }} of the requests of ${WHOM[scope]} are served from the cache, where ${seriesValue(names.seasonal, { by: [] }, scope, 'humanizePercentage')} are usual at this hour. The origin answers the rest.`,
      ...opened(scope),
    };
  });
}
