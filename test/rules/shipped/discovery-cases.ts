import { ACCOUNT, type AlertCase, BEFORE, one } from './alert-case.ts';

const PRODUCT = `${ACCOUNT}, product="edge_functions"`;
const LISTED = `edge_exporter_product_listed{${PRODUCT}}`;
const UP = `edge_up{${ACCOUNT}}`;

function unlisted(mild: AlertCase['mild']): AlertCase {
  return {
    alert: 'EdgeNotDiscovered',
    which: 'reason="product"',
    normal: { [LISTED]: 1, [UP]: 1 },
    bad: { [LISTED]: 0 },
    mild: { [LISTED]: 0, ...mild },
    lasts: 70,
    resolves: 5,
  };
}

/** Cases of all alerts about missing configurations. */
export const DISCOVERY_CASES: readonly AlertCase[] = [
  // A list that fails intermittently, and one that cannot be read because the platform does not answer.
  unlisted({ [LISTED]: (minute) => Number(minute % 50 === 0) }),
  unlisted({ [UP]: (minute) => Number(minute < BEFORE) }),
  {
    alert: 'EdgeNotDiscovered',
    which: 'reason="fewer"',
    ...one(`edge_configurations{${PRODUCT}}`, [50, 20, 30]),
    lasts: 70,
    resolves: 5,
  },
  {
    alert: 'EdgeNotDiscovered',
    which: 'reason="configuration"',
    ...one(`edge_exporter_unmatched_configurations{${PRODUCT}}`, [0, 2, 0]),
    lasts: 70,
    resolves: 5,
  },
];
