import { WEEK } from './background.ts';

export const WEEKS = 8;
/** What is generated of every account. */
export const MINUTES = WEEKS * WEEK;
