import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { configuration } from './configuration.ts';
import { exporter } from './exporter.ts';
import { overview } from './overview.ts';
import { security } from './security.ts';

/** Dashboards by file name. */
export const DASHBOARDS: Readonly<Record<string, Dashboard>> = {
  'overview.json': overview,
  'configuration.json': configuration,
  'security.json': security,
  'exporter.json': exporter,
};

/** Returns a dashboard as JSON text. */
export function textOf(dashboard: Dashboard): string {
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
