import type { AlertDefinition } from './alert.ts';
import type { Scope } from './measures.ts';
import { range } from './promql.ts';
import type { Times } from './times.ts';

/** Where the alerts of a scope lead. */
export function opened(scope: Scope): Pick<AlertDefinition, 'dashboard' | 'variables'> {
  return scope === 'account'
    ? { dashboard: 'edge-overview', variables: ['account', 'product'] }
    : { dashboard: 'edge-configuration', variables: ['account', 'product', 'configuration'] };
}

/** What was so within the last hour or a little more: of a series that is there only while it is so. */
export function lately(series: string, { apart, minute }: Times): string {
  return `last_over_time(${range(series, apart, minute)})`;
}

/** An account is told of only where none of its configurations is: they say more. */
export function besideConfigurations(scope: Scope, ofConfigurations: string, times: Times): string {
  if (scope === 'configuration') return '';
  return `\nunless on (account, product)\n${lately(ofConfigurations, times)}`;
}
