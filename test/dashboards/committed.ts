import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnnotationQuery, Dashboard, Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import type { Dataquery } from '@grafana/grafana-foundation-sdk/prometheus';

/** The folder of the generated files. */
export const FOLDER = join(import.meta.dirname, '..', '..', 'grafana', 'dashboards');

/** Committed dashboard. */
export interface Committed {
  readonly file: string;
  readonly text: string;
  readonly dashboard: Dashboard;
  readonly panels: readonly Panel[];
}

/** Query with its place. */
export interface Asked {
  readonly file: string;
  /** The panel's title, or the annotation's name. */
  readonly title: string;
  readonly refId: string;
  readonly expr: string;
  /** Asked for one moment; otherwise for the time range. */
  readonly instant: boolean;
}

/** Every committed dashboard. */
export function committed(): readonly Committed[] {
  return readdirSync(FOLDER).map((file) => {
    const text = readFileSync(join(FOLDER, file), 'utf8');
    const dashboard = JSON.parse(text) as Dashboard;
    const panels = (dashboard.panels ?? []).filter((panel): panel is Panel => panel.type !== 'row');
    return { file, text, dashboard, panels };
  });
}

/** The queries of a panel. */
export function targetsOf({ targets = [] }: Panel): readonly Dataquery[] {
  return targets.filter((target): target is Dataquery => 'expr' in target);
}

export function annotationsOf({ dashboard }: Committed): readonly AnnotationQuery[] {
  return dashboard.annotations?.list ?? [];
}

/** Every query of a dashboard, of its panels and of its annotations. */
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
