import { z } from 'zod';
import { MINUTE_MS } from './window.ts';

/**
 * The target that tries a metric's single dimensions after the platform said that it has no such metric. One target tries
 * for the whole account: a metric that the platform lacks has no dimensions either, and each try costs an operation.
 * Times are platform ms.
 */
export interface DimensionTrial {
  readonly target: string;
  /** Time at which that target last found the metric missing. */
  readonly missingAt: number;
  /** Time of its last trial; undefined if there was none. */
  readonly triedAt: number | undefined;
}

/** A read that found a metric missing. */
export interface MissingMetric {
  readonly target: string;
  /** True if the platform has ever had data of the target: an unknown id proves nothing. */
  readonly isKnown: boolean;
}

/** A metric that was found neither way is tried by its dimensions again after this time (ms). */
const AGAIN_MS = 60 * MINUTE_MS;

/** Reads of a missing metric come an hour apart at most: a target that reads it no more gives way to another. */
const GONE_MS = 3 * AGAIN_MS;

/** Returns true if a target may try the dimensions of a metric that it finds missing. */
export function mayTry(trial: DimensionTrial | undefined, target: string, now: number): boolean {
  if (trial?.target !== target) return false;
  const { triedAt } = trial;
  return triedAt === undefined || now >= triedAt + AGAIN_MS || now < triedAt;
}

/** The trial after a target found the metric missing: the first of those that the platform knows tries from then on. */
export function afterMissing(
  trial: DimensionTrial | undefined,
  { target, isKnown }: MissingMetric,
  now: number,
): DimensionTrial | undefined {
  if (trial?.target === target) {
    return { target, missingAt: now, triedAt: mayTry(trial, target, now) ? now : trial.triedAt };
  }
  const isTaken = trial !== undefined && Math.abs(now - trial.missingAt) < GONE_MS;
  return isTaken || !isKnown ? trial : { target, missingAt: now, triedAt: undefined };
}

/** Earlier versions wrote null for a time that never was. */
export const storedTrial = z
  .object({ target: z.string(), missingAt: z.number(), triedAt: z.number().nullish() })
  .transform(({ triedAt, ...trial }): DimensionTrial => ({ ...trial, triedAt: triedAt ?? undefined }));
