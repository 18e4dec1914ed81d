import type { StateKey } from '../state/state.ts';

/** Entry of the outbox, as it is known without reading it. */
export interface WaitingEntry {
  readonly key: StateKey;
  readonly source: string;
  /** Time (ms since the epoch) at which it was put in, as it is shown and kept on disk. */
  readonly queuedAt: number;
  /** The same by local time (ms), by which it grows old, wherever the machine's clock is set. */
  readonly since: number;
  readonly bytes: number;
  readonly samples: number;
}

/** The last part of an entry's key, by which entries are ordered. */
export function nameOf(key: StateKey): string {
  return key.at(-1) ?? '';
}

/** The entries that wait for one destination, in the order of their keys, and what they add up to. */
export class WaitingEntries {
  readonly #entries = new Map<string, WaitingEntry>();
  bytes = 0;
  samples = 0;

  /** Since when (ms since the epoch) the first has waited; undefined where none does. */
  get oldest(): number | undefined {
    for (const { queuedAt } of this.#entries.values()) return queuedAt;
    return undefined;
  }

  /** Adds an entry behind all others. */
  add(entry: WaitingEntry): void {
    this.#entries.set(nameOf(entry.key), entry);
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

  /** Returns true if there was such an entry. */
  delete({ key }: WaitingEntry): boolean {
    const entry = this.#entries.get(nameOf(key));
    if (entry === undefined) return false;
    this.bytes -= entry.bytes;
    this.samples -= entry.samples;
    return this.#entries.delete(nameOf(key));
  }

  /**
   * The first entry of each source, up to so many samples and at least one entry.
   * @param lookahead how many entries are looked through: there may be a million
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

  /** Returns the first entries to drop so that the others are within the limits, without entries that are kept. */
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
