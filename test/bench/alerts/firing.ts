/** A time in which an alert fires: from, and to but not including, in minutes. */
export interface Firing {
  readonly from: number;
  readonly to: number;
}

/** `for` and `keep_firing_for`, in minutes. */
export interface Patience {
  readonly hold: number;
  readonly keepFiring: number;
}

/** When an alert fires whose condition holds in these minutes, as Prometheus decides it. */
export function firings(condition: Uint8Array, { hold, keepFiring }: Patience): Firing[] {
  const found: Firing[] = [];
  let since: number | undefined;
  let firingFrom: number | undefined;
  let lastTrue = 0;
  for (let minute = 0; minute < condition.length; minute++) {
    if (condition[minute] === 1) {
      since ??= minute;
      lastTrue = minute;
      if (minute - since >= hold) firingFrom ??= minute;
      continue;
    }
    if (firingFrom !== undefined && minute - lastTrue <= keepFiring) continue;
    if (firingFrom !== undefined) found.push({ from: firingFrom, to: minute });
    since = undefined;
    firingFrom = undefined;
  }
  if (firingFrom !== undefined) found.push({ from: firingFrom, to: condition.length });
  return found;
}

/** Several alerts of an account as an operator meets them: overlapping ones are one. */
export function merged(firing: readonly Firing[]): Firing[] {
  const result: Firing[] = [];
  for (const next of firing.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last !== undefined && next.from <= last.to) {
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, next.to) };
    } else result.push(next);
  }
  return result;
}
