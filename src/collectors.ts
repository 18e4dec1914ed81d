import type { Collector } from './collectors/collector.ts';
import { domains } from './collectors/domains.ts';
import { errorResponses } from './collectors/error-responses.ts';

/** Every collector of settings by its name in the configuration: the place to add a part of the platform. */
export const COLLECTORS = {
  error_responses: errorResponses,
  domains,
} as const satisfies Record<string, Collector>;

export type CollectorName = keyof typeof COLLECTORS;
