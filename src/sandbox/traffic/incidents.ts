import { GROUPS, type Group } from './groups.ts';
import { type IncidentKind, type Line, RECIPES, type Recipe } from './incident-recipes.ts';

/** Something that happens to a configuration's traffic: requests on top of it, or (an outage) none at all. */
export interface Incident {
  readonly kind: IncidentKind;
  /** A domain's id, or a configuration's: then it meets the first of its domains (an outage: all of them). */
  readonly configuration: number;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** Requests per minute on top of the usual ones; an outage has none. */
  readonly per_minute: number;
}

/** Adds what the incident brought up to `time` to the cells of a group; what added up before still does. */
export function addIncident(incident: Incident, group: Group, time: number, into: Float64Array): void {
  if (incident.kind === 'outage') return;
  const lasted = Math.max(0, Math.min(time, incident.to) - incident.from);
  const requests = Math.floor((incident.per_minute * lasted) / 60_000);
  if (requests === 0) return;
  const recipe = RECIPES[incident.kind];
  const whole = group === 'volume' ? requests * recipe.kilobytes : requests;
  for (const line of linesOf(recipe, group)) addLine(line, GROUPS[group], whole, into);
  if (group === 'plain') into[1] = (into[1] ?? 0) + requests * recipe.kilobytes;
}

function linesOf(recipe: Recipe, group: Group): readonly Line[] {
  switch (group) {
    case 'requests':
    case 'volume':
      return [
        [['total', 1]],
        [
          ['https', recipe.https],
          ['http', 1 - recipe.https],
        ],
        [
          ['saved', recipe.saved],
          ['missed', 1 - recipe.saved],
        ],
      ];
    case 'methods':
      return [recipe.methods];
    case 'codes':
      return [recipe.codes];
    case 'waf':
      return recipe.waf ?? [];
    case 'plain':
      return [[['count', 1]]];
    case 'levels':
      return [];
  }
}

/** One part after another of what is left, so that each part only grows and the last makes the sum exact. */
function addLine(line: Line, cells: readonly string[], whole: number, into: Float64Array): void {
  let rest = whole;
  let left = 1;
  line.forEach(([cell, share], index) => {
    const part = index === line.length - 1 ? rest : Math.floor(rest * Math.min(1, share / left));
    const place = cell === null ? -1 : cells.indexOf(cell);
    if (place >= 0) into[place] = (into[place] ?? 0) + part;
    rest -= part;
    left -= share;
  });
}
