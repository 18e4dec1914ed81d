import { type AlertSettings, applies, matchersOf } from './alert-settings.ts';
import { labelsOf, latestUsual, type Measure, SCOPES, type Scope } from './measures.ts';
import type { Times } from './times.ts';

interface AcceptedOptions {
  readonly scope: Scope;
  readonly measure: Measure;
  readonly times: Times;
  readonly settings: AlertSettings;
}

/**
 * What is accepted of a measure at this hour, by the alerts file; there only within such hours. Undefined where the file has none.
 * @param after how much longer it counts: an hour's mean holds what was accepted before (ms)
 */
export function acceptedNow(options: AcceptedOptions, after = 0): string | undefined {
  const { scope, settings, times } = options;
  const parts = settings.acceptedHours.flatMap((accepted) => {
    const { start, length } = accepted;
    const [from, lasts, day] = [start, Math.min(length + after, times.day), times.day].map(
      (ms) => ms / 1_000,
    );
    const within = `((time() - ${from}) % ${day} < bool ${lasts})`;
    if (applies(accepted.where, SCOPES[scope])) return [`${allowance(options, accepted)} * ${within} > 0`];
    // Where configurations are accepted, their account has that much more.
    const ofConfigurations = allowance({ ...options, scope: 'configuration' }, accepted);
    const labels = labelsOf(scope, options.measure).join(', ');
    return [
      `(${latestUsual(scope, options.measure, times)} + sum by (${labels}) (${ofConfigurations})) * ${within} > 0`,
    ];
  });
  return parts.length === 0 ? undefined : `(${parts.join(' or ')})`;
}

function allowance(
  { scope, measure, times }: AcceptedOptions,
  { where, times: many }: AlertSettings['acceptedHours'][number],
): string {
  return `${many} * (${latestUsual(scope, measure, times, matchersOf(where))} + ${measure.little})`;
}
