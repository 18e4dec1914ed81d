import type { Sample } from '../catalogue/family.ts';
import {
  EDGE_ACCOUNT_INFO,
  EDGE_TOKEN_EXPIRY_TIMESTAMP,
  EDGE_TOKEN_RENEWAL_TIMESTAMP,
} from '../catalogue/platform-families.ts';
import type { AccountConfig } from '../configuration/schema.ts';
import { TOKENS } from '../poll/observed-platform.ts';

/** What an account leaves exposed when a reload starts it anew. */
export interface HeldOver {
  /** Owners in the store, of jobs. */
  readonly owners: ReadonlySet<string>;
  /** What was exposed of the account itself, by owner. */
  readonly parts: ReadonlyMap<string, Published>;
}

/** Samples as they were published. */
export interface Published {
  readonly samples: readonly Sample[];
  /** When they expire unless renewed (ms since the epoch). */
  readonly until: number;
}

type HeldConfig = Pick<AccountConfig, 'labels' | 'collectors' | 'credentials'>;

/**
 * What the former account has left exposed of the account itself, as far as the new configuration allows for it: the new
 * account does not know everything from the start.
 */
export class HeldParts {
  /** By owner. */
  readonly #parts = new Map<string, Published>();
  readonly #isSameAccess: boolean;

  /** @param isSameAccess whether the former account had the same token or login */
  constructor(parts: HeldOver['parts'], config: HeldConfig, isSameAccess: boolean) {
    this.#isSameAccess = isSameAccess;
    // With other labels these would be other series, beside the new ones.
    const hasLabels = ({ labels }: Sample) =>
      Object.entries(config.labels).every(([name, value]) => labels[name] === value);
    const isStill = (sample: Sample) => isConfigured(config, sample) && hasLabels(sample);
    for (const [owner, { samples, until }] of parts)
      this.#parts.set(owner, { samples: samples.filter(isStill), until });
  }

  [Symbol.iterator](): Iterator<readonly [owner: string, Published]> {
    return this.#parts.entries();
  }

  /** Samples held for a part that are not among these. @param now local time (ms) */
  beside(owner: string, samples: readonly Sample[], now: number): readonly Sample[] {
    const held = this.#parts.get(owner);
    if (held === undefined) return [];
    const known = new Set(samples.map(keyOf));
    const rest = held.samples.filter(
      (sample) => !known.has(keyOf(sample)) && (this.#isSameAccess || sample.family !== EDGE_ACCOUNT_INFO),
    );
    if (rest.length > 0 && now < held.until) {
      this.#parts.set(owner, { ...held, samples: rest });
      return rest;
    }
    this.#parts.delete(owner);
    return [];
  }
}

function keyOf({ family, labels }: Sample): string {
  return JSON.stringify([family.name, labels]);
}

/** There only for tokens that the exporter creates. */
const OF_CREATED_TOKENS: readonly Sample['family'][] = [
  EDGE_TOKEN_EXPIRY_TIMESTAMP,
  EDGE_TOKEN_RENEWAL_TIMESTAMP,
];

/** Whether the configuration of an account allows for a sample about the account itself. */
function isConfigured({ collectors, credentials }: HeldConfig, { family, labels }: Sample): boolean {
  const { product, metric, scope } = labels;
  if (OF_CREATED_TOKENS.includes(family) || scope === TOKENS) return credentials.kind === 'password';
  if (product === undefined) return true;
  return [collectors.metrics, collectors.analytics].some((collector) => {
    const metrics = collector?.products[product]?.metrics;
    if (metrics === undefined) return false;
    return metric === undefined || metrics.includes(metric) || metrics.includes('*');
  });
}
