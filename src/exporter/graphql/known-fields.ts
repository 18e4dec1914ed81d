import { z } from 'zod';
import { PlatformFailure, type Read } from '../platform/read.ts';
import { QUESTIONS, resourceOf, SCHEMA_QUESTION } from './question.ts';

const TYPE = z.object({ name: z.string().nullish() });

/** What of the answer is used: the name of a dataset's type lies up to three lists and not-nulls deep. */
const ANSWER = z.object({
  data: z.object({
    __schema: z.object({
      queryType: z.object({
        fields: z.array(
          z.object({
            name: z.string(),
            type: TYPE.extend({
              ofType: TYPE.extend({
                ofType: TYPE.extend({ ofType: TYPE.nullish() }).nullish(),
              }).nullish(),
            }),
          }),
        ),
      }),
      types: z.array(
        z.object({ name: z.string().nullish(), fields: z.array(z.object({ name: z.string() })).nullish() }),
      ),
    }),
  }),
});

/** The fields of each dataset that an account's endpoint serves. */
type Datasets = ReadonlyMap<string, ReadonlySet<string>>;

/** Which fields an account's datasets lack: as the endpoint says when it is asked once, and as refusals show later. */
export class KnownFields {
  #isAsked = false;
  #datasets: Datasets | undefined;
  readonly #refused = new Set<string>();

  /** Asks the endpoint, once. One that does not answer this question may answer all others. */
  async ask(read: Read, signal: AbortSignal): Promise<void> {
    if (this.#isAsked) return;
    this.#isAsked = true;
    try {
      const { body } = await read(() => resourceOf(SCHEMA_QUESTION), signal, QUESTIONS.group);
      this.#datasets = datasetsIn(body);
    } catch (failure) {
      if (!(failure instanceof PlatformFailure)) {
        this.#isAsked = false;
        throw failure;
      }
      if (failure.status === undefined || failure.status >= 500 || failure.status === 429)
        this.#isAsked = false;
    }
  }

  /** Whether a dataset is known not to be served. */
  lacksDataset(dataset: string): boolean {
    return this.#datasets !== undefined && !this.#datasets.has(dataset);
  }

  /** Whether a field is known not to be there. */
  lacks(dataset: string, field: string): boolean {
    if (this.#refused.has(`${dataset}.${field}`)) return true;
    const fields = this.#datasets?.get(dataset);
    // What `aggregate` brings is a field of every answer, whatever the type says.
    return fields !== undefined && field !== 'sum' && !fields.has(field);
  }

  /** Records a refusal. Returns which of the fields it names. */
  refused(
    dataset: string,
    fields: readonly string[],
    { message, outcome }: PlatformFailure,
  ): readonly string[] {
    // The message of an answer that cannot be read quotes it, and with it the fields that it has.
    if (outcome !== 'not_acceptable') return [];
    const words = new Set(message.match(/\w+/g));
    const named = fields.filter((field) => words.has(field));
    for (const field of named) this.#refused.add(`${dataset}.${field}`);
    return named;
  }
}

/** Undefined where the answer is none, or names no field of any dataset: then nothing is known. */
function datasetsIn(body: unknown): Datasets | undefined {
  const { success, data: answer } = ANSWER.safeParse(body);
  if (!success) return undefined;
  const { queryType, types } = answer.data.__schema;
  const fieldsByType = new Map(types.map(({ name, fields }) => [name, fields ?? []]));
  const datasets = queryType.fields.flatMap(({ name, type }) => {
    const names = [
      type.name,
      type.ofType?.name,
      type.ofType?.ofType?.name,
      type.ofType?.ofType?.ofType?.name,
    ];
    const typeName = names.find((one) => typeof one === 'string');
    const fields = fieldsByType.get(typeName ?? '') ?? [];
    return fields.length === 0 ? [] : [[name, new Set(fields.map((field) => field.name))] as const];
  });
  return datasets.length === 0 ? undefined : new Map(datasets);
}
