import { z } from 'zod';
import type { SourceName } from './series-source.ts';

/** Source of an API's series, and the reason, as a phrase. */
export interface Chosen {
  readonly source: SourceName;
  readonly why: string;
}

/** Evidence about the two sources of an API's series. */
export interface SourceEvidence {
  readonly configured: 'auto' | SourceName;
  /** True if REST lists configurations; false if GraphQL alone does; undefined before the lists were read. */
  readonly restLists: boolean | undefined;
  /** Result of reads by REST: `missing` if all were answered with 404; undefined if it is not known. */
  readonly rest: 'answers' | 'missing' | undefined;
  /** The same for GraphQL; it is asked only if REST has nothing. */
  readonly graphql: 'answers' | 'missing' | undefined;
}

/** Source before anything is known. */
export const SOURCE_AT_FIRST: Chosen = { source: 'rest', why: 'not known to be closed' };

/** Chooses the source of an API's series. @param before stays chosen while the evidence is not clear */
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

/** Returns the choice that the state holds; undefined if it holds none. */
export function restoreChoice(stored: unknown): Chosen | undefined {
  const data = stored === undefined ? undefined : storedChoice.safeParse(stored).data;
  return data && { source: data.source, why: data.why };
}
