// prom-client has types for itself as a whole, and none for its parts.
declare module 'prom-client/lib/registry.js' {
  export { Registry as default } from 'prom-client';
}
declare module 'prom-client/lib/metrics/*.js' {
  /** Adds some metrics to a registry, which measures them when it is asked for their values. */
  export default function collect(registry: import('prom-client').Registry): void;
}
