import { GROUPS, type Group } from './groups.ts';

/** Kinds of incidents that add requests to the usual ones. */
export const ADDED_KINDS = ['waf_attack', '5xx_spike', '4xx_spike', 'surge'] as const;

/** Incidents that change usual requests instead of adding some. */
export const CHANGED_KINDS = ['outage', 'slow_origin'] as const;

export const INCIDENT_KINDS = [...ADDED_KINDS, ...CHANGED_KINDS] as const;

export type IncidentKind = (typeof INCIDENT_KINDS)[number];

/** Shares that divide a whole among cells; a name without a cell is not counted. */
type Line = Readonly<Record<string, number>>;

/** Composition of the requests of an incident. */
interface Recipe {
  readonly https: number;
  readonly saved: number;
  /** Kilobytes per request. */
  readonly kilobytes: number;
  readonly methods: Line;
  readonly codes: Line;
  readonly waf?: readonly Line[];
  /** Countries of the clients, if unusual. */
  readonly countries?: Line;
}

const RECIPES: Readonly<Record<(typeof ADDED_KINDS)[number], Recipe>> = {
  waf_attack: {
    https: 0.9,
    saved: 1,
    kilobytes: 1,
    countries: { Germany: 0.7, India: 0.3 },
    methods: { get: 0.6, post: 0.4 },
    codes: { '200': 0.04, '403': 0.96 },
    waf: [
      { requests: 1 },
      { threats: 1 },
      { blocked: 0.96, let_through: 0.04 },
      { sql: 0.55, xss: 0.3, rfi: 0.1, others: 0.05 },
    ],
  },
  '5xx_spike': {
    https: 0.82,
    saved: 0,
    kilobytes: 2,
    methods: { get: 0.9, post: 0.1 },
    codes: { '500': 0.06, '502': 0.3, '503': 0.6, '5xx': 0.04 },
  },
  '4xx_spike': {
    https: 0.82,
    saved: 0,
    kilobytes: 2,
    methods: { get: 1 },
    codes: { '400': 0.06, '404': 0.9, '4xx': 0.04 },
  },
  surge: {
    https: 0.82,
    saved: 0.8,
    kilobytes: 18,
    methods: { get: 1 },
    codes: { '200': 0.9, '304': 0.1 },
  },
};

/** Incident in a configuration's traffic: additional requests, none at all (an outage), or a slower origin. */
export interface Incident {
  readonly kind: IncidentKind;
  /**
   * Id of a domain, or of a configuration. For a configuration, outages and slow origins affect all of its domains; other incidents
   * affect the first.
   */
  readonly configuration: number;
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
  /** Additional requests per minute; absent for outages and slow origins. */
  readonly per_minute: number;
}

/** Adds the incident's counts up to `time` to the cells of a group; sums of cells stay consistent. */
export function addIncident(incident: Incident, group: Group, time: number, into: Float64Array): void {
  if (incident.kind === 'outage' || incident.kind === 'slow_origin') return;
  const lasted = Math.max(0, Math.min(time, incident.to) - incident.from);
  const requests = Math.floor((incident.per_minute * lasted) / 60_000);
  if (requests === 0) return;
  const { kilobytes } = RECIPES[incident.kind];
  const whole = group === 'volume' ? requests * kilobytes : requests;
  for (const line of linesOf(RECIPES[incident.kind])[group]) addLine(line, GROUPS[group], whole, into);
  if (group === 'plain') into[1] = (into[1] ?? 0) + requests * kilobytes;
}

/** Returns the shares of each group. */
function linesOf({
  https,
  saved,
  methods,
  codes,
  waf = [],
  countries = { Brazil: 1 },
}: Recipe): Readonly<Record<Group, readonly Line[]>> {
  const whole = [{ total: 1 }, { https, http: 1 - https }, { saved, missed: 1 - saved }];
  return {
    requests: whole,
    volume: whole,
    cache: [{ HIT: saved, MISS: 1 - saved }],
    countries: [countries],
    locations: [{ 'gru-gru': 1 }],
    queryTypes: [{ A: 1 }],
    methods: [methods],
    codes: [codes],
    waf,
    plain: [{ count: 1 }],
    levels: [],
  };
}

/** Adds the parts one after another from the rest, so that each part only grows and the last makes the sum exact. */
function addLine(line: Line, cells: readonly string[], whole: number, into: Float64Array): void {
  let rest = whole;
  let left = 1;
  for (const [index, [cell, share]] of Object.entries(line).entries()) {
    const isLast = index === Object.keys(line).length - 1;
    const part = isLast ? rest : Math.floor(rest * Math.min(1, share / left));
    const place = cells.indexOf(cell);
    if (place >= 0) into[place] = (into[place] ?? 0) + part;
    rest -= part;
    left -= share;
  }
}
