import { z } from 'zod';
import type { SourceName } from './series-source.ts';

/** Source of an API's series, and the reason for it, as a phrase. */
export interface Chosen {
  readonly source: SourceName;
  readonly why: string;
}

/** Evidence about the two sources of an API's series. */
export interface SourceEvidence {
  readonly configured: 'auto' | SourceName;
  /** True if REST lists configurations; false if only GraphQL does; undefined before a list was read. */
  readonly restLists: boolean | undefined;
  /** Result of REST reads: `missing` if all were answered with 404; undefined if unknown. */
  readonly rest: 'answers' | 'missing' | undefined;
  /** Result of GraphQL reads, which are sent only if REST has no series; undefined if unknown. */
  readonly graphql: 'answers' | 'missing' | undefined;
}

/** Initial source, before there is any evidence. */
export const SOURCE_AT_FIRST: Chosen = { source: 'rest', why: 'not known to be closed' };

/** Chooses the source of an API's series. @param before stays chosen while the evidence is unclear */
export function chooseSource(
  { configured, restLists, rest, graphql }: SourceEvidence,
  before: Chosen,
): Chosen {
  if (configured !== 'auto') return { source: configured, why: 'as configured' };
  if (rest === 'answers') return { source: 'rest', why: 'REST answers' };
  if (rest === 'missing' && graphql === 'answers')
    return { source: 'graphql', why: 'REST answers 404 to the reads of series' };
  if (rest === 'missing' && graphql === 'missing')
    return { source: before.source, why: 'neither REST nor GraphQL has series' };
  if (rest === undefined && restLists === false)
    return { source: 'graphql', why: 'REST lists no configurations, GraphQL does' };
  return before;
}

const storedChoice = z.strictObject({
  version: z.literal(2),
  source: z.enum(['rest', 'graphql']),
  why: z.string(),
});

export function storeChoice({ source, why }: Chosen): z.input<typeof storedChoice> {
  return { version: 2, source, why };
}

/** Returns the choice from its durable form; undefined if there is none. */
export function restoreChoice(stored: unknown): Chosen | undefined {
  const data = stored === undefined ? undefined : storedChoice.safeParse(stored).data;
  return data && { source: data.source, why: data.why };
}
