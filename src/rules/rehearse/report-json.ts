import type { RehearsedAlert } from './rehearsal.ts';
import type { RehearsalReport, RulesReport } from './report.ts';

/** The report for programs: times in RFC 3339, what there is not as null. */
export function reportJson(report: RehearsalReport): string {
  const { source, from, to, learnsFrom, notJudged, comparison } = report;
  const document = {
    source,
    from: time(from),
    to: time(to),
    history_begins: learnsFrom === undefined ? null : time(learnsFrom),
    ...rulesOf(report),
    not_judged: notJudged,
    comparison:
      comparison === undefined
        ? null
        : {
            ...rulesOf(comparison),
            changes: comparison.changes.map(({ kind, before, after }) => ({
              kind,
              before: before === undefined ? null : alertOf(before),
              after: after === undefined ? null : alertOf(after),
            })),
          },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function rulesOf(report: RulesReport): object {
  const { rules, counts, stale, perWeek, weeks, configurations, recurring, alerts } = report;
  return {
    rules,
    counts,
    stale_data: stale,
    per_week: perWeek,
    weeks: weeks.map((week) => ({ from: time(week.from), to: time(week.to), counts: week.counts })),
    configurations,
    recurring,
    alerts: alerts.map(alertOf),
  };
}

function alertOf({ labels, from, to, open, value, peak, usual, threshold }: RehearsedAlert): object {
  return {
    from: time(from),
    to: open ? null : time(to),
    seconds: (to - from) / 1_000,
    labels,
    value: number(value),
    peak: number(peak),
    usual: number(usual),
    threshold: number(threshold),
  };
}

function time(at: number): string {
  return new Date(at).toISOString();
}

function number(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}
