import { SimulatedClock } from '../../simulated-clock.ts';

/** Opens a state however long the disk of a busy machine takes: on this clock no time passes. */
export const UNHURRIED = { clock: new SimulatedClock() };
