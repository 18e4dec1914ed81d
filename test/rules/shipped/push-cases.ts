import { type AlertCase, grown } from './alert-case.ts';

const RECEIVER = 'instance="exporter:9801", receiver="central"';
const OLDEST = `edge_exporter_outbox_oldest_timestamp_seconds{${RECEIVER}}`;

/** Every alert of what is pushed. */
export const PUSH_CASES: readonly AlertCase[] = [
  {
    alert: 'EdgePushBehind',
    normal: { [OLDEST]: (minute) => 60 * minute - 1 },
    bad: { [OLDEST]: 60 * 150 },
    mild: { [OLDEST]: (minute) => 60 * (minute - 10) },
    lasts: 40,
    resolves: 5,
  },
  {
    alert: 'EdgePushLosing',
    which: 'loss="refused"',
    ...grown(`edge_exporter_push_samples_refused_total{${RECEIVER}, reason="too_old"}`, [5, 0], 20),
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
