import { z } from 'zod';
import { gather } from '../settings/item-fields.ts';

/** Records of a type. */
export interface RecordsOfType {
  readonly count: number;
  /** Seconds; undefined where none of them has a time to live. */
  readonly shortestTtl: number | undefined;
}

/** The records of a zone, without their content. */
export interface ZoneRecords {
  readonly content: string;
  readonly types: Readonly<Record<string, RecordsOfType>>;
}

/** What is used of a record (section 2.10); what is not as it should be counts as absent, for the record is there all the same. */
const dnsRecord = z.object({
  record_type: z.string().catch(''),
  entry: z.unknown().optional(),
  ttl: z.number().nonnegative().optional().catch(undefined),
  answers_list: z.array(z.unknown()).catch([]),
  policy: z.string().catch('simple'),
  weight: z.number().nullable().catch(null),
});

const NO_RECORD: z.output<typeof dnsRecord> = dnsRecord.parse({});

/** Counts the records of a zone by type. */
export function zoneRecords(items: readonly unknown[]): ZoneRecords {
  const records = items.map((item) => dnsRecord.catch(NO_RECORD).parse(item));
  const types = new Map<string, RecordsOfType>();
  for (const { record_type: type, ttl } of records) {
    const { count, shortestTtl } = types.get(type) ?? { count: 0, shortestTtl: undefined };
    types.set(type, { count: count + 1, shortestTtl: shorter(shortestTtl, ttl) });
  }
  const content = records.map(({ answers_list, ...record }) => ({
    ...record,
    answers: gather(answers_list).content,
  }));
  return { content: gather(content).content, types: Object.fromEntries(types) };
}

function shorter(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
}
