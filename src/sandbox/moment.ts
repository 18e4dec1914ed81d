import { z } from 'zod';

/** A moment as ms since the epoch or as an ISO date. */
export const moment = z.union([
  z.coerce.number(),
  z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
]);
