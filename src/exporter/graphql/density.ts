import { z } from 'zod';
import { type AccountMemory, changed, type SavedPart } from '../state/account-memory.ts';

/** Rows in a bucket for each key, by dataset and breakdown. */
type Densities = ReadonlyMap<string, number>;

const stored = z.strictObject({
  version: z.literal(2),
  datasets: z.array(z.tuple([z.string(), z.number().positive()])),
});

/** Share of the expected density that is kept after an answer with fewer rows. */
const KEPT = 0.9;

/** Rows may have become a little more since the last answer. */
const MARGIN = 1.15;

/** An account's knowledge of how dense the rows of its datasets are. */
export class DensityMemory {
  readonly part: SavedPart<Densities>;
  readonly #memory: Pick<AccountMemory, 'of' | 'adopt'>;

  constructor(
    account: { readonly name: string; readonly address: string },
    memory: Pick<AccountMemory, 'of' | 'adopt'>,
  ) {
    this.#memory = memory;
    this.part = {
      key: ['rows', account.name, account.address],
      open: (given) => new Map(stored.safeParse(given).data?.datasets),
      store: (known) => (known.size === 0 ? undefined : { version: 2, datasets: [...known] }),
    };
  }

  /** Returns the rows to expect in a bucket for each key. @param assumed until answers show it */
  expected(name: string, assumed: number): number {
    return (this.#memory.of(this.part).get(name) ?? assumed) * MARGIN;
  }

  learn(name: string, density: number): void {
    const known = this.#memory.of(this.part);
    const after = Math.max(density, (known.get(name) ?? 0) * KEPT);
    if (after > 0) this.#memory.adopt(changed(this.part, new Map([...known, [name, after]])), true);
  }
}
