import { EventEmitter, once } from 'node:events';

/** The platform's documents are not half as deep. */
const DEEPEST = 64;

/** Values in a document. A large answer has some 300,000. */
const MOST_VALUES = 1_000_000;

/**
 * As many values an object and a key count for: parsed, an object takes 60 to 180 bytes, and keys that no other has take 1 to 5 µs
 * where a number takes 0.1. A million of them would be seconds in which nothing else is done.
 */
const VALUES_OF_AN_OBJECT = 5;
const VALUES_OF_A_KEY = 3;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Number of values, and levels of depth, that a byte outside texts adds. */
const VALUES = new Uint8Array(256);
const LEVELS = new Int8Array(256);
for (const [byte, values, levels] of [
  [',', 1, 0],
  [':', VALUES_OF_A_KEY, 0],
  ['[', 1, 1],
  ['{', VALUES_OF_AN_OBJECT, 1],
  [']', 0, -1],
  ['}', 0, -1],
] as const) {
  VALUES[byte.charCodeAt(0)] = values;
  LEVELS[byte.charCodeAt(0)] = levels;
}

/**
 * Names what a JSON text has too much of: arrays and objects that lie in one another, or values. Parsing takes 30 times as long
 * for a level as for a byte, and 80 bytes of memory: a document of brackets would hold up everything, or end the process. An
 * object counts for five, a key for three.
 */
export function excessIn(json: Uint8Array, deepest = DEEPEST, most = MOST_VALUES): string | undefined {
  let depth = 0;
  let values = 1;
  let isInString = false;
  for (let index = 0; index < json.length; index += 1) {
    const byte = json[index] ?? 0;
    if (byte === QUOTE) isInString = !isInString;
    else if (isInString) index += byte === BACKSLASH ? 1 : 0;
    else {
      values += VALUES[byte] ?? 0;
      depth += LEVELS[byte] ?? 0;
      if (depth > deepest) return `the answer is more than ${deepest} levels deep`;
    }
  }
  return values > most ? `the answer has more than ${most} values` : undefined;
}

/** Places for huge answers. */
const MOST_AT_ONCE = 8;

/** The places for huge answers, of all accounts together: few, and of them one for each account. */
export class HugeAnswerSlots {
  readonly #owners = new Set<object>();
  readonly #changes = new EventEmitter().setMaxListeners(0);

  /** Resolves when there is a place for an answer of an owner; rejects with the signal's reason if that aborts before. */
  async take(owner: object, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    // All who wait look again in their order, so that who has waited longest is next.
    while (this.#owners.has(owner) || this.#owners.size >= MOST_AT_ONCE)
      await once(this.#changes, 'left', { signal }).catch(() => signal.throwIfAborted());
    this.#owners.add(owner);
  }

  leave(owner: object): void {
    this.#owners.delete(owner);
    this.#changes.emit('left');
  }
}

/**
 * Turns of the large answers of one account. They are parsed one in a turn of the event loop, and used before the next is:
 * parsed, an answer takes up to ten times the memory that it had as text.
 */
export interface LargeAnswers {
  /** Resolves when an answer of so many bytes may be parsed. What uses it must not wait for anything else before. */
  readonly turn: (bytes: number) => Promise<void> | undefined;
  /** Shared with other accounts. */
  readonly places: HugeAnswerSlots;
}
