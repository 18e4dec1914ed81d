import { z } from 'zod';
import { DISCOVERY_FAMILIES, LEARNED_FAMILIES, PLATFORM_FAMILIES } from '../catalogue/platform-families.ts';

/** What Prometheus sets itself, what histograms have, and what the exporter's own metrics are told apart by. */
const RESERVED = [
  'job',
  'instance',
  'le',
  'quantile',
  'collector',
  'outcome',
  'status',
  'receiver',
  'reason',
];

/** Labels of traffic and accounts, which mean the same in every query and rule. */
function takenNames(): ReadonlySet<string> {
  const known = [...PLATFORM_FAMILIES, ...DISCOVERY_FAMILIES, ...LEARNED_FAMILIES].flatMap(
    ({ labels }) => labels,
  );
  return new Set([...RESERVED, ...known, ...PARTS]);
}

/** The labels that partition traffic. */
const PARTS = ['cache', 'scheme', 'method', 'class', 'code', 'family', 'dimension'];

/** More than this is a mistake, and every series carries them. */
const MOST_LABELS = 20;
const LONGEST_VALUE = 256;

/** Labels by name that an account's series carry besides their own. */
export const LABELS = z
  .record(z.string(), z.string().min(1, 'must not be empty').max(LONGEST_VALUE))
  .superRefine((labels, context) => {
    const taken = takenNames();
    const say = (path: string[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (Object.keys(labels).length > MOST_LABELS) say([], `expected at most ${MOST_LABELS} labels`);
    for (const name of Object.keys(labels)) {
      if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name) || name.startsWith('__'))
        say(
          [name],
          'expected the name of a label: letters, digits and underscores, not two of them at first',
        );
      else if (taken.has(name)) say([name], 'is a label of the exporter itself: choose another name');
    }
  });
