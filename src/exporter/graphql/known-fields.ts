import { z } from 'zod';
import { unlessAborted } from '../clock.ts';
import { PlatformFailure, QUESTIONS, type Read } from '../platform/read.ts';
import { resourceOf, SCHEMA_QUESTION } from './question.ts';

/** Used part of the answer. */
const ANSWER = z.object({
  data: z.object({
    __schema: z.object({
      queryType: z.object({ fields: z.array(z.object({ name: z.string(), type: z.unknown() })) }),
      types: z.array(
        z.object({ name: z.string().nullish(), fields: z.array(z.object({ name: z.string() })).nullish() }),
      ),
    }),
  }),
});

/** The name of a type lies below as many lists and not-nulls as there are. */
const TYPE = z.object({ name: z.unknown().optional(), ofType: z.unknown().optional() });

/** The fields of each dataset that an account's endpoint serves. */
type Datasets = ReadonlyMap<string, ReadonlySet<string>>;

/** Name of a summed measure in answers. */
const SUM = 'sum';

/** The endpoint is asked again after this time (ms): platforms gain fields, and tokens gain permissions. */
const KEPT_MS = 24 * 3_600_000;

/** The same if a wanted field is missing, or the endpoint did not say: an upgrade of the platform may remove it for a minute. */
const LACKING_MS = 3_600_000;

/** Fields that an account's datasets lack, as the endpoint says, and as refusals show later. */
export class KnownFields {
  readonly #now: () => number;
  #datasets: Datasets | undefined;
  /** Refused fields and sums, as `dataset.field`. */
  #refused: ReadonlySet<string> = new Set();
  #askedAt: number | undefined;
  #isLacking = false;
  #asking: Promise<void> | undefined;
  /** Grows when more is known. */
  version = 0;

  /** @param now local ms */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Asks the endpoint if it is due. An endpoint that does not answer this question may answer all others. */
  async ask(read: Read, signal: AbortSignal): Promise<void> {
    // Only the caller that asks handles a failure.
    if (this.#asking !== undefined)
      return unlessAborted(
        this.#asking.catch(() => undefined),
        signal,
      );
    const kept = this.#isLacking ? LACKING_MS : KEPT_MS;
    if (this.#askedAt !== undefined && Math.abs(this.#now() - this.#askedAt) <= kept) return;
    this.#asking = this.#ask(read, signal);
    try {
      await this.#asking;
    } finally {
      this.#asking = undefined;
    }
  }

  async #ask(read: Read, signal: AbortSignal): Promise<void> {
    const before = this.#refused;
    let datasets: Datasets | undefined;
    try {
      const { body } = await read(() => resourceOf(SCHEMA_QUESTION), signal, QUESTIONS.group);
      datasets = datasetsIn(body);
    } catch (failure) {
      if (!(failure instanceof PlatformFailure)) throw failure;
    }
    this.#askedAt = this.#now();
    this.#datasets = datasets ?? this.#datasets;
    this.#isLacking = datasets === undefined;
    // Earlier refusals are forgotten. They show again if they last.
    this.#refused = new Set([...this.#refused].filter((field) => !before.has(field)));
    this.version += 1;
  }

  /** Returns true if a dataset is known not to be served. */
  lacksDataset(dataset: string): boolean {
    return this.#noted(this.#datasets?.has(dataset) === false);
  }

  /** Returns true if a field is known to be missing. */
  lacks(dataset: string, field: string): boolean {
    // Every answer to `aggregate` has this field; the type does not list it.
    if (field === SUM) return false;
    return this.#noted(this.refuses(dataset, field) || this.#datasets?.get(dataset)?.has(field) === false);
  }

  /** Returns true if a field or a sum was refused. A summable measure need not be a field of the rows. */
  refuses(dataset: string, name: string): boolean {
    return this.#noted(this.#refused.has(`${dataset}.${name}`));
  }

  #noted(isLacking: boolean): boolean {
    this.#isLacking ||= isLacking;
    return isLacking;
  }

  /** Records that fields or sums were found to be refused. */
  lack(dataset: string, names: readonly string[]): void {
    if (names.length === 0) return;
    this.#refused = new Set([...this.#refused, ...names.map((name) => `${dataset}.${name}`)]);
    this.version += 1;
  }
}

/** Returns undefined if the answer names no field of any dataset. */
function datasetsIn(body: unknown): Datasets | undefined {
  const { success, data: answer } = ANSWER.safeParse(body);
  if (!success) return undefined;
  const { queryType, types } = answer.data.__schema;
  const fieldsByType = new Map(types.map(({ name, fields }) => [name, fields ?? []]));
  const datasets = queryType.fields.flatMap(({ name, type }) => {
    const fields = fieldsByType.get(typeNameIn(type)) ?? [];
    return fields.length === 0 ? [] : [[name, new Set(fields.map((field) => field.name))] as const];
  });
  return datasets.length === 0 ? undefined : new Map(datasets);
}

function typeNameIn(type: unknown): string {
  let found = TYPE.safeParse(type).data;
  while (found !== undefined && typeof found.name !== 'string') found = TYPE.safeParse(found.ofType).data;
  return String(found?.name ?? '');
}
