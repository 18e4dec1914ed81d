import { type AlertCase, grown } from './alert-case.ts';

const RECEIVER = 'instance="exporter:9801", receiver="central"';
const SENT = `edge_exporter_push_samples_sent_total{${RECEIVER}}`;
const FAILURES = `edge_exporter_push_failures_total{${RECEIVER}}`;
const REFUSED = `edge_exporter_push_samples_refused_total{${RECEIVER}, reason="too_old"}`;
const OLDEST = `edge_exporter_outbox_oldest_timestamp_seconds{${RECEIVER}}`;

/** Cases of all alerts about pushes. */
export const PUSH_CASES: readonly AlertCase[] = [
  {
    alert: 'EdgePushBehind',
    which: 'reason="refused"',
    // The receiver fails all the time, but occasionally accepts a request.
    normal: {
      [OLDEST]: (minute) => 60 * minute - 1,
      [SENT]: 0,
      [FAILURES]: (minute) => minute,
      [REFUSED]: 0,
    },
    bad: { [OLDEST]: 60 * 150 },
    mild: { [OLDEST]: (minute) => 60 * (minute - 10) },
    lasts: 40,
    resolves: 5,
  },
  {
    alert: 'EdgePushBehind',
    which: 'reason="stopped"',
    normal: { [OLDEST]: (minute) => 60 * minute - 1, [SENT]: 0, [FAILURES]: 0, [REFUSED]: 0 },
    bad: { [OLDEST]: 60 * 150 },
    // A receiver that is down gets one request per minute. A receiver that asks for a pause gets one every
    // ten minutes.
    mild: { [OLDEST]: 60 * 150, [FAILURES]: (minute) => Math.floor(minute / 10) },
    lasts: 40,
    resolves: 5,
  },
  {
    alert: 'EdgePushLosing',
    which: 'loss="refused"',
    ...grown(REFUSED, [5, 0], 20),
    lasts: 20,
    resolves: 90,
  },
  {
    alert: 'EdgePushLosing',
    which: 'loss="dropped"',
    ...grown(`edge_exporter_push_samples_dropped_total{${RECEIVER}, reason="outbox_full"}`, [5, 0], 20),
    lasts: 20,
    resolves: 90,
  },
];
