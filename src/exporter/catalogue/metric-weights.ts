/** How much the freshness of a metric matters: attacks and errors before volumes, volumes before averages. */
const WEIGHTS: Readonly<Record<string, number>> = {
  waf: 4,
  status_code: 4,
  requests: 2,
  cdn_requests: 2,
  requests_per_second: 2,
  bandwidth: 2,
  invocations: 2,
  idns_queries: 2,
};

/** The weight of a metric of the platform. */
export function weightOf(metric: string): number {
  return WEIGHTS[metric] ?? 1;
}
