import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnnotationQuery, Dashboard, Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import type { Dataquery } from '@grafana/grafana-foundation-sdk/prometheus';

/** Folder of the generated dashboards. */
export const FOLDER = join(import.meta.dirname, '..', '..', 'grafana', 'dashboards');

/** Committed dashboard. */
export interface Committed {
  readonly file: string;
  readonly text: string;
  readonly dashboard: Dashboard;
  readonly panels: readonly Panel[];
}

/** Query with its location. */
export interface Asked {
  readonly file: string;
  /** Title of the panel, or name of the annotation. */
  readonly title: string;
  readonly refId: string;
  readonly expr: string;
  /** True if the query is for one moment; false for a time range. */
  readonly instant: boolean;
}

/** Returns all committed dashboards. */
export function committed(): readonly Committed[] {
  return readdirSync(FOLDER).map((file) => {
    const text = readFileSync(join(FOLDER, file), 'utf8');
    const dashboard = JSON.parse(text) as Dashboard;
    const panels = (dashboard.panels ?? []).filter((panel): panel is Panel => panel.type !== 'row');
    return { file, text, dashboard, panels };
  });
}

/** Returns the PromQL queries of a panel. */
export function targetsOf({ targets = [] }: Panel): readonly Dataquery[] {
  return targets.filter((target): target is Dataquery => 'expr' in target);
}

export function annotationsOf({ dashboard }: Committed): readonly AnnotationQuery[] {
  return dashboard.annotations?.list ?? [];
}

/** Returns every query of a dashboard's panels and annotations. */
export function queriesOf(one: Committed): readonly Asked[] {
  const { file, panels } = one;
  const ofPanels = panels.flatMap((panel) =>
    targetsOf(panel).map(({ expr, refId = '', instant = false }) => ({
      file,
      title: panel.title ?? '',
      refId,
      expr,
      instant,
    })),
  );
  const ofAnnotations = annotationsOf(one).map(({ name, expr = '' }) => ({
    file,
    title: name,
    refId: 'annotation',
    expr,
    instant: false,
  }));
  return [...ofPanels, ...ofAnnotations];
}
