import { ACCOUNT, type AlertCase, BEFORE, type Given, grown } from './alert-case.ts';

function polls(collector: string, outcome: string): string {
  return `edge_exporter_polls_total{${ACCOUNT}, collector="${collector}", outcome="${outcome}"}`;
}

const ALL_IS_WELL: Given = {
  [`edge_up{${ACCOUNT}}`]: 1,
  [polls('metrics', 'ok')]: (minute) => minute * 80,
};

/** Returns polls of traffic: failing polls per minute in addition to 80 that succeed. */
function failing(bad: number, mild: number, meanwhile: Given = {}, lasts = 75): AlertCase {
  const failed = grown(polls('metrics', 'server_error'), [bad, mild], lasts);
  return {
    alert: 'EdgePollsFailing',
    normal: { ...failed.normal, ...ALL_IS_WELL },
    bad: failed.bad,
    mild: { ...failed.mild, ...meanwhile },
    lasts,
    resolves: 31,
  };
}

function flapping(down: number, up: number): AlertCase {
  const comesAndGoes = (minute: number) =>
    minute < BEFORE || minute >= BEFORE + 75 || (minute - BEFORE) % (down + up) >= down ? 1 : 0;
  const known = failing(40, 4);
  return { ...known, normal: { ...known.normal, [`edge_up{${ACCOUNT}}`]: comesAndGoes } };
}

const LAST_READ = `edge_exporter_poll_last_success_timestamp_seconds{${ACCOUNT}, collector="waf_rulesets"}`;

function unread(normal: Given, bad: Given, mild: Given, each = 0.2): AlertCase {
  const lasts = 200;
  const failed = grown(polls('waf_rulesets', 'forbidden'), [0.2, each], lasts);
  return {
    alert: 'EdgeCollectorFailing',
    normal: { ...failed.normal, ...ALL_IS_WELL, ...normal },
    bad: { ...failed.bad, ...bad },
    mild: { ...failed.mild, ...bad, ...mild },
    lasts,
    resolves: 5,
  };
}

const READ = { [LAST_READ]: (minute: number) => minute * 60 };
const NOT_READ = { [LAST_READ]: BEFORE * 60 };

/** Cases of all alerts about failing polls. */
export const POLL_CASES: readonly AlertCase[] = [
  failing(20, 4),
  failing(20, 80, { [`edge_up{${ACCOUNT}}`]: 0 }),
  // Rare polls show late that the platform does not answer.
  failing(20, 80, { [`edge_up{${ACCOUNT}}`]: (minute) => (minute < BEFORE + 12 ? 1 : 0) }),
  // The alert fires at the earliest possible moment.
  failing(80, 80, { [`edge_up{${ACCOUNT}}`]: (minute) => (minute < BEFORE + 12 ? 1 : 0) }, 36),
  flapping(2, 1),
  flapping(3, 2),
  flapping(4, 1),
  flapping(4, 2),
  flapping(4, 3),
  flapping(5, 1),
  unread(READ, NOT_READ, { [LAST_READ]: (minute) => (minute - 100) * 60 }),
  unread(READ, NOT_READ, { [`edge_up{${ACCOUNT}}`]: 0 }),
  { ...unread({}, {}, {}, 0.004), resolves: 121 },
];
