import type { StateKey } from '../state/state.ts';

/** Metadata of an outbox entry that is known without reading it. */
export interface WaitingEntry {
  readonly key: StateKey;
  readonly source: string;
  /** Time (ms since the epoch) at which it was queued, for display and on disk. */
  readonly queuedAt: number;
  /** Local time (ms) at which it was queued, so that its age does not depend on the machine's clock. */
  readonly since: number;
  readonly bytes: number;
  readonly samples: number;
}

/** Returns the last part of an entry's key, which orders the entries. */
export function entryNameOf(key: StateKey): string {
  return key.at(-1) ?? '';
}

/** Queued entries of one destination in the order of their keys, with their sums. */
export class WaitingEntries {
  readonly #entries = new Map<string, WaitingEntry>();
  bytes = 0;
  samples = 0;

  /** Time (ms since the epoch) at which the first entry was queued; undefined if there is none. */
  get oldest(): number | undefined {
    for (const { queuedAt } of this.#entries.values()) return queuedAt;
    return undefined;
  }

  /** Adds an entry after all others. */
  add(entry: WaitingEntry): void {
    this.#entries.set(entryNameOf(entry.key), entry);
    this.bytes += entry.bytes;
    this.samples += entry.samples;
  }

  /** Adds entries before all others. */
  addBefore(entries: readonly WaitingEntry[]): void {
    const later = [...this.#entries.values()];
    this.#entries.clear();
    this.bytes = 0;
    this.samples = 0;
    for (const entry of [...entries, ...later]) this.add(entry);
  }

  /** Removes an entry. Returns true if it was there. */
  delete({ key }: WaitingEntry): boolean {
    const entry = this.#entries.get(entryNameOf(key));
    if (entry === undefined) return false;
    this.bytes -= entry.bytes;
    this.samples -= entry.samples;
    return this.#entries.delete(entryNameOf(key));
  }

  /**
   * Returns the first entry of each source, up to `most` samples and at least one entry.
   * @param lookahead maximum number of entries to search, because there may be a million
   */
  firstOfEach(most: number, lookahead: number): WaitingEntry[] {
    const chosen: WaitingEntry[] = [];
    const sources = new Set<string>();
    let samples = 0;
    let looked = 0;
    for (const entry of this.#entries.values()) {
      if (looked === lookahead) break;
      looked += 1;
      if (sources.has(entry.source)) continue;
      sources.add(entry.source);
      if (chosen.length > 0 && samples + entry.samples > most) continue;
      chosen.push(entry);
      samples += entry.samples;
    }
    return chosen;
  }

  /** Returns the first entries to drop so that the rest is within the limits. Excludes the entries in `kept`. */
  beyond(
    limits: { readonly bytes: number; readonly since: number },
    kept: ReadonlySet<WaitingEntry>,
  ): { readonly full: WaitingEntry[]; readonly old: WaitingEntry[] } {
    const [full, old]: WaitingEntry[][] = [[], []];
    let bytes = this.bytes;
    for (const entry of this.#entries.values()) {
      const isOld = entry.since < limits.since;
      if (bytes <= limits.bytes && !isOld) break;
      if (kept.has(entry)) continue;
      (bytes > limits.bytes ? full : old)?.push(entry);
      bytes -= entry.bytes;
    }
    return { full: full ?? [], old: old ?? [] };
  }
}
