import type { ConfigStatus, ReceiverStatus, StateStatus, Status } from '../status.ts';
import { type Finding, SEVERITY } from './finding.ts';
import { html } from './html.ts';
import { clockTime, grouped, moment } from './time-format.ts';

/** What there is to be told of the exporter itself. */
export function exporterFindings(status: Status, now: number): Finding[] {
  const { config, state, series_dropped: dropped, push } = status;
  return [
    ...stateFindings(state),
    ...configFindings(config, now),
    ...droppedFindings(dropped),
    ...push.flatMap((receiver) => receiverFindings(receiver, now)),
  ];
}

/** Shorter waits come with every restart of a receiver (ms). */
const LONG_WAIT_MS = 5 * 60_000;

function receiverFindings({ name, oldest_waiting_at: oldest, note }: ReceiverStatus, now: number): Finding[] {
  if (oldest === null || now - Date.parse(oldest) < LONG_WAIT_MS) return [];
  return [
    {
      severity: SEVERITY.late,
      mood: 'warn',
      text: html`samples have waited for the receiver <bdi class="mono">${name}</bdi> since ${clockTime(oldest, now)}`,
      next: html`They arrive, each at its own time, when it takes them again. Scrapes are not affected.`,
      lines: note === '' ? [] : [note],
    },
  ];
}

function stateFindings({ kind, directory, note }: StateStatus): Finding[] {
  if (kind === 'unavailable') {
    return [
      {
        severity: SEVERITY.withheld,
        mood: 'bad',
        text: html`counters are withheld: the state directory <bdi class="mono">${directory}</bdi> cannot be used`,
        next: html`Make it exist, writable and with room: counters go on where they were as soon as it can be used. Gauges are not affected.`,
        lines: note === undefined ? [] : [note],
      },
    ];
  }
  if (kind === 'memory' || note === undefined) return [];
  return [
    {
      severity: SEVERITY.note,
      mood: 'warn',
      text: html`counters started from zero`,
      next: html`<code>rate()</code> takes it for a restart; nothing is to be done unless the old state can be brought back.`,
      lines: [note],
    },
  ];
}

function configFindings(config: ConfigStatus, now: number): Finding[] {
  if (config.last_reload_successful) return [];
  return [
    {
      severity: SEVERITY.config,
      mood: 'warn',
      text: html`the last reload of the configuration failed; the one loaded ${moment(config.loaded_at, now)} is in force`,
      next: html`Correct <bdi class="mono">${config.source}</bdi>, try it with <code>edge-exporter check-config</code>, and reload.`,
      lines: config.issues,
    },
  ];
}

function droppedFindings(dropped: number): Finding[] {
  if (dropped === 0) return [];
  return [
    {
      severity: SEVERITY.dropped,
      mood: 'warn',
      text: html`${grouped(dropped)} series are dropped, since the limit is reached`,
      next: html`Raise <code>limits.series</code>, or select fewer configurations or metrics.`,
    },
  ];
}
