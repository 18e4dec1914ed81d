import type { RehearsedAlert } from './rehearsal.ts';
import type { RehearsalReport } from './report.ts';

/** Fields with times, which are RFC 3339 in the JSON. */
const MOMENTS = new Set(['from', 'to', 'historyBegins']);

/** Returns the report as JSON: its own fields in snake case, times in RFC 3339, and null for undefined values. */
export function reportJson(report: RehearsalReport): string {
  return `${JSON.stringify(plain(report), null, 2)}\n`;
}

function plain(value: unknown, field = ''): unknown {
  if (value === undefined || (typeof value === 'number' && !Number.isFinite(value))) return null;
  if (typeof value === 'number') return MOMENTS.has(field) ? new Date(value).toISOString() : value;
  if (Array.isArray(value)) return value.map((one) => plain(one));
  if (typeof value !== 'object' || value === null) return value;
  if ('trace' in value) return plain(told(value as RehearsedAlert));
  const fields = Object.entries(value).map(([name, one]) => [
    field === 'labels' ? name : name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    plain(one, name),
  ]);
  return Object.fromEntries(fields);
}

/** Returns an alert without its chart. An alert that is still firing has no end. */
function told({ trace: _, open, to, ...alert }: RehearsedAlert): object {
  return { ...alert, to: open ? undefined : to, seconds: (to - alert.from) / 1_000 };
}
