import type { Labels } from '../promql/labels.ts';
import { duration } from '../text/duration.ts';
import { plainNumber } from '../text/numbers.ts';
import type { RehearsedAlert } from './rehearsal.ts';

/** Alerts whose value is a share. */
const SHARES = new Set(['Edge5xxRatio', 'Edge4xxRatio', 'EdgeOffloadCollapse']);

/** What an alert is about, by the labels that tell it from others of its name. */
const SUBJECT = [
  'account',
  'configuration',
  'family',
  'code',
  'domain',
  'certificate',
  'waf_ruleset',
  'firewall',
  'function',
  'zone',
  'network_list',
  'edge_application',
  'collector',
  'metric',
  'instance',
];

/** A moment in UTC, to the minute. */
export function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

/** What an alert is about: `production, shop, 503`. */
export function subject(labels: Labels): string {
  const product = labels['configuration'] === undefined ? labels['product'] : undefined;
  const rest = SUBJECT.flatMap((label) =>
    label === 'metric' && labels['about'] === 'traffic' ? [] : (labels[label] ?? []),
  );
  const [account, ...others] = rest;
  const words = [account, product, ...others].filter((word) => word !== undefined && word !== '');
  // Names come from elsewhere: what controls a terminal is left out.
  return words.join(', ').replaceAll(/\p{Cc}/gu, '');
}

/** A value of an alert; nothing where there is none. */
export function valueText({ alertname = '' }: Labels, value: number): string {
  if (Number.isNaN(value)) return '';
  return SHARES.has(alertname) ? `${plainNumber(value * 100)} %` : plainNumber(value);
}

/** How long it fires, with a plus where it goes on. */
export function lengthText({ from, to, open }: RehearsedAlert): string {
  return `${duration((to - from) / 1_000)}${open ? ' +' : ''}`;
}

/** How many a week. */
export function perWeekText(perWeek: number): string {
  return perWeek > 0 && perWeek < 0.05 ? '<0.1' : String(Math.round(perWeek * 10) / 10);
}
