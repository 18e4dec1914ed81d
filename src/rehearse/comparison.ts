import type { RehearsedAlert } from './rehearsal.ts';

/** How another alerts file changes an alert. */
export interface Change {
  readonly kind: 'gone' | 'new' | 'changed';
  /** Undefined where it is new. */
  readonly before: RehearsedAlert | undefined;
  /** Undefined where it is gone. */
  readonly after: RehearsedAlert | undefined;
}

/** What differs between the alerts of two sets of rules over the same history, in the order of time. */
export function compare(
  before: readonly RehearsedAlert[],
  after: readonly RehearsedAlert[],
): readonly Change[] {
  const left = new Set(after);
  const others = new Map<string, RehearsedAlert[]>();
  for (const alert of after) others.set(identity(alert), [...(others.get(identity(alert)) ?? []), alert]);
  const changes = before.flatMap((alert): readonly Change[] => {
    const same = others.get(identity(alert))?.find((other) => left.has(other) && overlap(other, alert));
    if (same === undefined) return [{ kind: 'gone', before: alert, after: undefined }];
    left.delete(same);
    return isSame(alert, same) ? [] : [{ kind: 'changed', before: alert, after: same }];
  });
  const added = [...left].map((alert): Change => ({ kind: 'new', before: undefined, after: alert }));
  return [...changes, ...added].sort((a, b) => beginning(a) - beginning(b));
}

/** The severity may differ: it is then the same alert, graver or not. */
function identity({ labels: { severity: _, ...labels } }: RehearsedAlert): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function overlap(a: RehearsedAlert, b: RehearsedAlert): boolean {
  return a.from < b.to && b.from < a.to;
}

function isSame(a: RehearsedAlert, b: RehearsedAlert): boolean {
  return a.from === b.from && a.to === b.to && a.labels['severity'] === b.labels['severity'];
}

function beginning({ before, after }: Change): number {
  return Math.min(before?.from ?? Number.POSITIVE_INFINITY, after?.from ?? Number.POSITIVE_INFINITY);
}
