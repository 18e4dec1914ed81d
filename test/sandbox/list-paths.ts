/** Paths of all lists in the specification, each with the API version that reads it. */
export const LIST_PATHS: readonly (readonly [path: string, version: number])[] = [
  ['/domains', 3],
  ['/digital_certificates', 3],
  ['/edge_applications', 3],
  ['/edge_functions', 3],
  ['/edge_firewall', 3],
  ['/edge_firewall/rulesets', 1],
  ['/waf/rulesets', 2],
  ['/network_lists', 3],
  ['/intelligent_dns', 3],
  ['/intelligent_dns/40960/records', 3],
  ['/analytics/metadata', 1],
  ...[1441740010, 1441740013, 1441110021, 1467740028, 1441740014].map(
    (product) => [`/analytics/products/${product}/configurations`, 1] as const,
  ),
  ...[1441740010, 1498670028, 1531930033, 1441110021, 1563390045, 1564082375, 1441740004, 1441740012].map(
    (product) => [`/metrics/products/${product}/configurations`, 2] as const,
  ),
];
