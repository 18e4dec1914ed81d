import {
  type Dashboard,
  DashboardBuilder,
  DashboardCursorSync,
  type DashboardLink,
  DashboardLinkBuilder,
  DashboardLinkType,
  type Panel,
  type RowPanel,
  type VariableModel,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { ALERT_MARKS, CHANGE_MARKS, DELAY_MARKS } from './annotations.ts';
import { place, type Section } from './layout.ts';

/** Titles of the four dashboards by uid, in the order of their links. */
export const TITLES = {
  'edge-overview': 'Edge / Overview',
  'edge-configuration': 'Edge / Configuration',
  'edge-security': 'Edge / Security',
  'edge-exporter': 'Edge / Exporter',
} as const;

export type Uid = keyof typeof TITLES;

export interface DashboardOptions {
  readonly uid: Uid;
  readonly description: string;
  readonly from: string;
  readonly variables: readonly VariableModel[];
  readonly sections: readonly Section[];
}

/** Returns a dashboard: variables, links to the other dashboards, annotations, and placed panels. */
export function dashboard({ uid, description, from, variables, sections }: DashboardOptions): Dashboard {
  const built = new DashboardBuilder(TITLES[uid])
    .uid(uid)
    .description(description)
    .tags(['edge-exporter'])
    .readonly()
    .tooltip(DashboardCursorSync.Crosshair)
    .time({ from, to: 'now' })
    .refresh('1m')
    .timezone('browser')
    .variables(variables.map(ready))
    .annotations([...ALERT_MARKS, CHANGE_MARKS, DELAY_MARKS].map(withoutPlacement).map(ready))
    .links(linksFrom(uid).map(ready))
    .build();
  const panels: (Panel | RowPanel)[] = place(sections);
  return { ...built, id: null, panels };
}

function linksFrom(uid: Uid): DashboardLink[] {
  return Object.entries(TITLES)
    .filter(([other]) => other !== uid)
    .map(([other, title]) =>
      new DashboardLinkBuilder(title.replace('Edge / ', ''))
        .type(DashboardLinkType.Link)
        .url(`/d/${other}`)
        .icon('dashboard')
        .tooltip(title)
        .keepTime(true)
        .includeVars(true)
        .build(),
    )
    .map(withoutPlacement);
}

/** Removes the placement, because the builders' default hides links and annotations in a menu. */
function withoutPlacement<T extends { placement?: unknown }>({
  placement: _menu,
  ...rest
}: T): Omit<T, 'placement'> {
  return rest;
}

function ready<T>(built: T): { build(): T } {
  return { build: () => built };
}
