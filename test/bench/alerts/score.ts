import type { FiredAlert } from '../../rules/evaluate.ts';
import { EVENT_KINDS, type Event, type EventKind, type Expectation } from './event.ts';
import type { History } from './history.ts';
import type { Notification } from './notifications.ts';

const MINUTE = 60_000;

const ECHO = 30;

/** Minutes within which a ticket must arrive, except for tiny sites. */
const TICKET_WITHIN = 60;
const TINY_WITHIN = 30;

interface AlertSpan {
  readonly name: string;
  readonly severity: string;
  readonly key: string;
  readonly from: number;
  readonly to: number;
}

/** Score of the alerts for events of one kind. */
export class KindScore {
  events = 0;
  found = 0;
  /** Minutes of the events, and minutes in which an alert fires. */
  minutes = 0;
  covered = 0;
  readonly delays: number[] = [];
  readonly outlived: number[] = [];
  pages = 0;
  tickets = 0;
  /** Pages during events for which no page is expected. */
  wrongPages = 0;
  flaps = 0;
}

/** Score of the alerts for all accounts. */
export class Score {
  readonly kinds = new Map<EventKind, KindScore>();
  weeks = 0;
  /** Number of pages outside of events, by alert. */
  readonly falsePages = new Map<string, number>();
  readonly falseTickets = new Map<string, number>();
  flaps = 0;
  flapsWithTickets = 0;
  /** Number of events that need a notification, and number of notifications about them. */
  causes = 0;
  heard = 0;
  readonly remarks: string[] = [];
  /** Number of false notifications, by alert and theme of the account. */
  readonly falseByTheme = new Map<string, number>();

  /** Adds the events and notifications of an account to the score. */
  add(
    label: string,
    { events, minutes, theme }: History,
    fired: readonly FiredAlert[],
    told: readonly Notification[],
  ): void {
    this.weeks += minutes / (7 * 24 * 60);
    const spans = fired.map(alertSpan);
    for (const event of events) this.#addEvent(label, event, spans, told);
    const causes = events.filter(({ kind }) => EVENT_KINDS[kind].expects !== 'no page');
    this.causes += causes.length;
    // One notification can report two events.
    this.heard += told.filter(
      (one) => one.receiver !== 'notes' && causes.some((event) => within(event, one, ECHO)),
    ).length;
    this.#addFalse(label, theme, events, told);
    this.flaps += flaps(spans);
    this.flapsWithTickets += flaps(spans, ['page', 'ticket']);
  }

  #addEvent(label: string, event: Event, spans: readonly AlertSpan[], told: readonly Notification[]): void {
    const { expects, by }: Expectation = EVENT_KINDS[event.kind];
    const score = this.kinds.get(event.kind) ?? new KindScore();
    this.kinds.set(event.kind, score);
    const during = spans.filter(({ from, to }) => from < event.to + ECHO && to > event.from);
    // An alert that began before the event does not report it.
    const telling = during.filter(
      ({ name, severity, from }) =>
        from >= event.from && by.includes(name) && (expects === 'ticket' || severity === 'page'),
    );
    const [first] = telling.toSorted((a, b) => a.from - b.from);
    const soon = event.kind === 'tiny site fails' ? TINY_WITHIN : TICKET_WITHIN;
    const found = first !== undefined && (expects === 'page' || first.from - event.from <= soon);
    score.events += 1;
    if (found) score.found += 1;
    else if (expects !== 'no page')
      this.remarks.push(`${label}: missed ${event.kind} at ${event.from} for ${event.to - event.from}`);
    if (first !== undefined) score.delays.push(Math.max(0, first.from - event.from));
    const pages = during.filter(({ severity }) => severity === 'page');
    for (let minute = event.from; minute < event.to; minute++) {
      score.minutes += 1;
      if (telling.some(({ from, to }) => from <= minute && minute < to)) score.covered += 1;
    }
    if (expects !== 'no page' && found) {
      score.outlived.push(Math.max(...telling.map(({ to }) => to)) - event.to);
    }
    if (expects === 'no page' && pages.length > 0) {
      score.wrongPages += 1;
      this.remarks.push(
        `${label}: ${pages[0]?.name} pages at ${pages[0]?.from}, ${event.kind} at ${event.from}`,
      );
    }
    const heardAtAll = told.filter((one) => within(event, one, ECHO));
    for (const [receiver, word] of [
      ['on-call', 'pages'],
      ['tickets', 'tickets'],
    ] as const) {
      const heard = heardAtAll.filter(({ receiver: who }) => who === receiver);
      score[word] += heard.length;
      if (heard.length > 1)
        this.remarks.push(
          `${label}: ${event.kind} at ${event.from} for ${event.to - event.from} is ${heard.length} ${word}: ${heard.map((one) => notificationText(one, event.from)).join('; ')}`,
        );
    }
    score.flaps += flaps(pages);
  }

  #addFalse(label: string, theme: string, events: readonly Event[], told: readonly Notification[]): void {
    for (const notification of told) {
      const { at, receiver, alerts } = notification;
      const minute = at / MINUTE;
      const name = alerts[0]?.['alertname'] ?? '';
      const caused = events.some((event) => within(event, notification, 2 * ECHO));
      if (caused || receiver === 'notes') continue;
      const counts = receiver === 'on-call' ? this.falsePages : this.falseTickets;
      counts.set(name, (counts.get(name) ?? 0) + 1);
      const ofTheme = `${receiver === 'on-call' ? 'page' : 'ticket'} ${name}, ${theme}`;
      this.falseByTheme.set(ofTheme, (this.falseByTheme.get(ofTheme) ?? 0) + 1);
      if (receiver === 'on-call') this.remarks.push(`${label}: false page ${name} at ${minute}`);
      else this.remarks.push(`${label}: false ticket ${name} at ${minute} ${JSON.stringify(alerts[0])}`);
    }
  }
}

function within({ from, to }: Event, { at }: Notification, echo: number): boolean {
  return at / MINUTE >= from && at / MINUTE < to + echo;
}

function alertSpan({ labels, from, to }: FiredAlert): AlertSpan {
  const { alertname: name = '', severity = '' } = labels;
  return { name, severity, key: JSON.stringify(labels), from: from / MINUTE, to: to / MINUTE };
}

function notificationText({ at, alerts }: Notification, from: number): string {
  const texts = alerts.map(({ alertname, configuration = 'account', code = '', burn = '' }) =>
    `${alertname} ${configuration} ${code}${burn}`.trim(),
  );
  return `${at / MINUTE - from} min ${texts.join(' + ')}`;
}

function flaps(spans: readonly AlertSpan[], severities: readonly string[] = ['page']): number {
  const pages = spans
    .filter(({ severity }) => severities.includes(severity))
    .toSorted((a, b) => a.from - b.from);
  return pages.filter((page, index) =>
    pages.slice(0, index).some(({ key, to }) => key === page.key && page.from - to < 120),
  ).length;
}

/** Returns the value below which the given share (0 to 1) of the numbers lies; NaN without numbers. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
