import { z } from 'zod';
import type { SeriesApi } from '../catalogue/products.ts';
import type { SourceName } from './series-source.ts';

/** Which source the series of an API are read by, and why, as a phrase. */
export interface Chosen {
  readonly source: SourceName;
  readonly why: string;
}

/** Which source the series of a collector are read by. */
export interface ChosenSource extends Chosen {
  readonly collector: SeriesApi;
  /** Fields that the source does not have, as `dataset.field`: what comes of them is left out. */
  readonly missing: readonly string[];
}

/** What polls have shown of a source. */
export interface Shown {
  /** When (ms) it last answered series; undefined where it never has. */
  readonly answeredAt: number | undefined;
  /** Series that it has answered with 404 since, with their targets. */
  readonly gone: ReadonlyMap<string, string>;
}

/** What is known of the sources of one API. Each poll makes the next value from it. */
export interface SourceMemory extends Chosen {
  readonly isFixed: boolean;
  /** Whether REST has listed configurations of any product: then the account lacks a product that it does not list. */
  readonly restLists: boolean;
  readonly shown: Readonly<Record<SourceName, Shown>>;
  /** When (ms) REST was last asked after it was left for answering 404; undefined if it was not. */
  readonly restAskedAt?: number | undefined;
}

/** Of a source that was not polled. */
export const NOTHING_SHOWN: Shown = { answeredAt: undefined, gone: new Map() };

/** What is known before anything is polled. */
export function sourceAtFirst(configured: 'auto' | SourceName): SourceMemory {
  const shown = { rest: NOTHING_SHOWN, graphql: NOTHING_SHOWN };
  if (configured !== 'auto')
    return { source: configured, why: 'as configured', isFixed: true, restLists: false, shown };
  return { source: 'rest', why: 'not known to be closed', isFixed: false, restLists: false, shown };
}

/** Whether the source is more than the one that is tried first. */
export function isKnown({ isFixed, source, restLists, shown }: SourceMemory): boolean {
  return isFixed || source === 'graphql' || restLists || shown.rest.answeredAt !== undefined;
}

/** Notes that GraphQL lists configurations where REST has no list. */
export function sourceListed(known: SourceMemory): SourceMemory {
  if (known.isFixed || known.source === 'graphql') return known;
  return { ...known, source: 'graphql', why: 'REST lists no configurations, GraphQL does' };
}

/** Whether configurations that REST does not list may be looked for by GraphQL. */
export function mayListElsewhere({ isFixed, source, restLists }: SourceMemory): boolean {
  return isFixed ? source === 'graphql' : !restLists;
}

/** Notes that REST lists configurations: then a product without a list is one that the account lacks. */
export function sourceListedByRest(known: SourceMemory): SourceMemory {
  if (known.isFixed || known.restLists) return known;
  const isLeft = known.restAskedAt !== undefined;
  return {
    ...known,
    restLists: true,
    ...(!isLeft && { source: 'rest', why: 'REST lists configurations' }),
  };
}

const storedShown = z.object({
  answeredAt: z.number().optional(),
  gone: z.array(z.tuple([z.string(), z.string()])),
});

const storedSource = z.strictObject({
  version: z.literal(1),
  source: z.enum(['rest', 'graphql']),
  why: z.string(),
  restLists: z.boolean(),
  restAskedAt: z.number().optional(),
  shown: z.object({ rest: storedShown, graphql: storedShown }),
});

export function storeSource({ isFixed: _, shown: { rest, graphql }, ...known }: SourceMemory): unknown {
  const stored = ({ answeredAt, gone }: Shown) => ({ answeredAt, gone: [...gone] });
  return { ...known, version: 1, shown: { rest: stored(rest), graphql: stored(graphql) } };
}

/** @param now the time (ms): the machine's clock may have been set back since */
export function restoreSource(stored: unknown, now: number): SourceMemory {
  const data = stored === undefined ? undefined : storedSource.safeParse(stored).data;
  if (data === undefined) return sourceAtFirst('auto');
  const { version: _, restAskedAt, shown, ...known } = data;
  const past = (time: number | undefined) => time && Math.min(time, now);
  const restored = ({ answeredAt, gone }: z.output<typeof storedShown>): Shown => ({
    answeredAt: past(answeredAt),
    gone: new Map(gone),
  });
  return {
    ...known,
    isFixed: false,
    restAskedAt: past(restAskedAt),
    shown: { rest: restored(shown.rest), graphql: restored(shown.graphql) },
  };
}
