import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { parseDuration } from '../../../src/exporter/text/figures.ts';
import { anchored, type Labels } from '../../../src/rules/promql/vector.ts';
import type { FiredAlert } from '../../rules/evaluate.ts';

const MINUTE = 60_000;

interface Route {
  readonly receiver?: string;
  readonly matchers?: readonly string[];
  readonly group_by?: readonly string[];
  readonly group_interval?: string;
  readonly routes?: readonly Route[];
}

interface InhibitRule {
  readonly source_matchers: readonly string[];
  readonly target_matchers: readonly string[];
  readonly equal?: readonly string[];
}

/** Parts of an Alertmanager's configuration that route and inhibit notifications. */
export interface Routing {
  readonly route: Route;
  readonly inhibit_rules: readonly InhibitRule[];
}

/** Notification with alerts that its receiver does not have yet. */
export interface Notification {
  readonly at: number;
  readonly receiver: string;
  readonly alerts: readonly Labels[];
}

export async function readRouting(file: string): Promise<Routing> {
  return parse(await readFile(file, 'utf8')) as Routing;
}

function fits(labels: Labels, matchers: readonly string[] = []): boolean {
  return matchers.every((text) => {
    const [, name = '', operator = '', value = ''] = /^(\w+)(=~|!~|!=|=)"(.*)"$/.exec(text) ?? [];
    const given = labels[name] ?? '';
    const same = operator.endsWith('~') ? anchored(value).test(given) : given === value;
    return operator.startsWith('!') ? !same : same;
  });
}

function inhibited(target: Labels, firing: readonly Labels[], rules: readonly InhibitRule[]): boolean {
  return rules.some(({ source_matchers, target_matchers, equal = [] }) => {
    if (!fits(target, target_matchers)) return false;
    const isTarget = (labels: Labels): boolean => fits(labels, target_matchers);
    const both = fits(target, source_matchers);
    return firing.some(
      (source) =>
        source !== target &&
        fits(source, source_matchers) &&
        // An alert that matches both as source and as target does not inhibit another such alert.
        !(both && isTarget(source)) &&
        equal.every((name) => (source[name] ?? '') === (target[name] ?? '')),
    );
  });
}

interface Group {
  /** Time of the next notification of the group. */
  flushAt: number;
  seenAt: number;
  told: Map<Labels, FiredAlert>;
}

function moments(fired: readonly FiredAlert[]): readonly number[] {
  const found = new Set<number>();
  for (const { from, to } of fired) {
    for (let at = from; at < Math.min(to, from + 90 * MINUTE); at += MINUTE) found.add(at);
    for (let at = to; at < to + 90 * MINUTE; at += MINUTE) found.add(at);
  }
  return [...found].sort((a, b) => a - b);
}

/**
 * Returns the notifications of each receiver in order of time, as Alertmanager sends them. Omits reminders
 * and resolved alerts.
 */
export function notifications(
  fired: readonly FiredAlert[],
  { route, inhibit_rules }: Routing,
): Notification[] {
  const found: Notification[] = [];
  const groups = new Map<string, Group>();
  for (const moment of moments(fired)) {
    const firing = fired.filter(({ from, to }) => from <= moment && moment < to);
    const all = firing.map(({ labels }) => labels);
    for (const [key, alerts] of groupedBy(firing, ({ labels }) => groupOf(labels, route))) {
      const { receiver, interval } = settingsOf(alerts[0]?.labels ?? {}, route);
      const known = groups.get(key);
      const lasts = alerts.some(({ from }) => known !== undefined && from <= known.seenAt);
      const gone = known === undefined || (!lasts && moment - known.seenAt > Math.max(interval, 90 * MINUTE));
      const group = gone ? { flushAt: moment, seenAt: moment, told: new Map() } : known;
      groups.set(key, group);
      group.seenAt = moment;
      if (moment < group.flushAt) continue;
      const heard = alerts.filter(({ labels }) => !inhibited(labels, all, inhibit_rules));
      const fresh = heard.filter((alert) => {
        const before = group.told.get(alert.labels);
        return before === undefined || (before !== alert && moment - before.to >= interval);
      });
      for (const alert of heard) group.told.set(alert.labels, alert);
      if (fresh.length === 0) continue;
      group.flushAt = moment + interval;
      found.push({ at: moment, receiver, alerts: fresh.map(({ labels }) => labels) });
    }
  }
  return found;
}

function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}

function settingsOf(labels: Labels, root: Route) {
  const child = root.routes?.find(({ matchers }) => fits(labels, matchers));
  const of = { ...root, ...child };
  return {
    receiver: of.receiver ?? '',
    groupBy: of.group_by ?? [],
    interval: parseDuration(of.group_interval ?? '5m') ?? 300_000,
  };
}

function groupOf(labels: Labels, root: Route): string {
  const { receiver, groupBy } = settingsOf(labels, root);
  return JSON.stringify([receiver, ...groupBy.map((name) => labels[name] ?? '')]);
}
