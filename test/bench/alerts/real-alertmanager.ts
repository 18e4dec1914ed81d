import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'yaml';
import { parseDuration } from '../../../src/exporter/text/figures.ts';
import { keyOf, type Labels } from '../../../src/rules/promql/vector.ts';
import { type SentAlert, startAlertmanager } from '../../end-to-end/alertmanager.ts';
import { startWebhook, type Notification as Told } from '../../end-to-end/webhook.ts';
import type { FiredAlert } from '../../rules/evaluate.ts';
import type { Notification } from './notifications.ts';
import { percentile } from './score.ts';

const MINUTE = 60_000;

const QUIET = 120 * MINUTE;

const PHASE = 30 * MINUTE;

interface Episode {
  readonly alerts: readonly FiredAlert[];
  /** Parts of the episode: the start of each, and its offset within the episode. */
  readonly pieces: readonly (readonly [from: number, at: number])[];
  readonly length: number;
}

/**
 * Returns the notifications of a real Alertmanager with the shipped configuration. All waits and intervals
 * are shortened so that a minute lasts `minute` ms. Episodes that are two hours apart run in parallel, as
 * different accounts. Periods without a change are shortened to two hours.
 */
export async function realNotifications(
  fired: readonly FiredAlert[],
  config: string,
  minute: number,
): Promise<readonly Notification[]> {
  const episodes = [...byAccount(fired).values()].flatMap(episodesOf);
  const longest = Math.max(...episodes.map(({ length }) => length));
  const webhook = await startWebhook();
  const alertmanager = await startAlertmanager(hastened(await readFile(config, 'utf8'), minute, webhook.url));
  const starts = episodes.map(({ length }) => Math.random() * (longest - length));
  const changes = episodes
    .flatMap((episode, index) =>
      episode.alerts.flatMap((alert) => [
        { at: (starts[index] ?? 0) + inEpisode(episode, alert.from), alert, index, ends: false },
        { at: (starts[index] ?? 0) + inEpisode(episode, alert.to), alert, index, ends: true },
      ]),
    )
    .sort((a, b) => a.at - b.at);
  const began = Date.now();
  const real = (at: number): number => began + (at / MINUTE) * minute;
  const arrived: { readonly at: number; readonly told: Told }[] = [];
  const collect = (): void => {
    for (const told of webhook.received.slice(arrived.length)) {
      arrived.push({ at: ((Date.now() - began) / minute) * MINUTE, told });
    }
  };
  const begun = new Map<FiredAlert, string>();
  const sent = ({ alert, index, ends }: (typeof changes)[number]): SentAlert => {
    const now = new Date().toISOString();
    const startsAt = begun.get(alert) ?? now;
    begun.set(alert, startsAt);
    const labels = { ...alert.labels, account: `${alert.labels['account']}#${index}` };
    return { labels, startsAt, endsAt: ends ? now : new Date(Date.now() + 86_400_000).toISOString() };
  };
  try {
    for (let next = 0; Date.now() < real(longest + QUIET); await pause(minute / 20)) {
      const first = next;
      while (next < changes.length && real((changes[next] as { at: number }).at) <= Date.now()) next += 1;
      if (next > first) await alertmanager.send(changes.slice(first, next).map(sent));
      collect();
    }
  } finally {
    await alertmanager.stop();
    await webhook.stop();
  }
  return news(arrived).map(({ at, receiver, alerts }) => {
    const [account = '', index = ''] = (alerts[0]?.['account'] ?? '').split('#');
    const episode = episodes[Number(index)] as Episode;
    const moment = outOfEpisode(episode, at - (starts[Number(index)] ?? 0));
    return { at: moment, receiver, alerts: alerts.map((labels) => ({ ...labels, account })) };
  });
}

function news(arrived: readonly { readonly at: number; readonly told: Told }[]): readonly Notification[] {
  const known = new Map<string, ReadonlySet<string>>();
  return arrived.flatMap(({ at, told: { groupKey, receiver, alerts } }) => {
    const firing = alerts.filter(({ status }) => status === 'firing').map(({ labels }) => labels);
    const before = known.get(groupKey);
    known.set(groupKey, new Set(firing.map(keyOf)));
    const fresh = firing.filter((labels) => before?.has(keyOf(labels)) !== true);
    return fresh.length === 0 ? [] : [{ at, receiver, alerts: fresh }];
  });
}

function byAccount(fired: readonly FiredAlert[]): ReadonlyMap<string, readonly FiredAlert[]> {
  const found = new Map<string, FiredAlert[]>();
  for (const alert of fired) {
    const { account = '' }: Labels = alert.labels;
    found.set(account, [...(found.get(account) ?? []), alert]);
  }
  return found;
}

function episodesOf(fired: readonly FiredAlert[]): readonly Episode[] {
  const parts: FiredAlert[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const alert of fired.toSorted((a, b) => a.from - b.from)) {
    if (alert.from > end + QUIET) parts.push([]);
    parts.at(-1)?.push(alert);
    end = Math.max(end, alert.to);
  }
  return parts.map((alerts) => {
    const moments = [...new Set(alerts.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
    const pieces: [number, number][] = [];
    let at = 0;
    let last = moments[0] as number;
    for (const moment of moments) {
      const idle = moment - last;
      at += idle - (idle > QUIET ? Math.floor((idle - QUIET) / PHASE) * PHASE : 0);
      last = moment;
      pieces.push([moment, at]);
    }
    return { alerts, pieces, length: at };
  });
}

function inEpisode({ pieces }: Episode, moment: number): number {
  return pieces.find(([from]) => from === moment)?.[1] ?? 0;
}

function outOfEpisode({ pieces }: Episode, at: number): number {
  const [from = 0, begins = 0] = pieces.findLast(([, piece]) => piece <= at) ?? pieces[0] ?? [];
  return from + at - begins;
}

type Tree = { readonly [key: string]: unknown };

function hastened(text: string, minute: number, url: string): object {
  const shorter = (route: Tree): Tree =>
    Object.fromEntries(
      Object.entries(route).map(([key, value]) => {
        if (key === 'routes') return [key, (value as readonly Tree[]).map(shorter)];
        if (!/_(wait|interval)$/.test(key)) return [key, value];
        return [key, `${Math.round(((parseDuration(String(value)) ?? 0) * minute) / MINUTE)}ms`];
      }),
    );
  const config = parse(text) as {
    readonly route: Tree;
    readonly receivers: readonly { readonly name: string }[];
  };
  return {
    ...config,
    route: shorter(config.route),
    receivers: config.receivers.map(({ name }) => ({
      name,
      webhook_configs: [{ url, send_resolved: true }],
    })),
  };
}

const APART = 31 * MINUTE;

/**
 * Returns the differences in both directions between the model's notifications and those of a real
 * Alertmanager, and the delay of the latter.
 */
export function compareNotifications(
  modelled: readonly Notification[],
  real: readonly Notification[],
): readonly string[] {
  const left = [...real];
  const later: number[] = [];
  const alone: string[] = [];
  for (const one of modelled) {
    const index = left.findIndex(
      (other) => subject(other) === subject(one) && Math.abs(other.at - one.at) < APART,
    );
    const [same] = index < 0 ? [] : left.splice(index, 1);
    if (same === undefined) alone.push(`by the model alone: ${said(one)}`);
    else later.push((same.at - one.at) / MINUTE);
  }
  const delays = [0.5, 0.95, 1].map((share) => percentile(later, share).toFixed(1)).join(', ');
  return [
    `Notifications: ${modelled.length} by the model, ${real.length} by Alertmanager, ${later.length} of them the same; Alertmanager's are later by ${delays} minutes (median, 95 %, most)`,
    ...alone,
    ...left.map((one) => `by Alertmanager alone: ${said(one)}`),
  ];
}

function subject({ receiver, alerts }: Notification): string {
  const { alertname, account, configuration = '' } = alerts[0] ?? {};
  // Alertmanager groups the pages of an account.
  return [receiver, alertname, account, receiver === 'tickets' ? configuration : ''].join(' ');
}

function said(one: Notification): string {
  return `${subject(one)} at ${(one.at / MINUTE).toFixed(1)}`;
}
