/** How long (ms) a lease lasts by the database's clock, from each renewal on. */
export const LEASE_MS = 10_000;

/** How much earlier (ms) by its own clock a replica takes its lease for over. It covers clocks that run apart by 10 %. */
export const MARGIN_MS = 1_000;

/** How often (ms) a replica renews its lease. A killed one is replaced within the lease and one of these. */
export const BEAT_MS = 2_000;

/** When (ms) a renewal that failed is tried again. */
export const RETRY_MS = 500;

/** How long (ms) a replica must have renewed without a gap before it declares others dead: all come back after an outage. */
export const STEADY_MS = 4_000;

/** What is a gap between two renewals (ms). */
export const GAP_MS = 5_000;
