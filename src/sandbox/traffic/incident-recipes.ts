export const INCIDENT_KINDS = ['waf_attack', '5xx_spike', '4xx_spike', 'surge', 'outage'] as const;

export type IncidentKind = (typeof INCIDENT_KINDS)[number];

/** A whole divided among cells; a `null` cell takes a share that no cell of the line counts. */
export type Line = readonly (readonly [cell: string | null, share: number])[];

/** What the requests of an incident are like. */
export interface Recipe {
  readonly https: number;
  readonly saved: number;
  /** Kilobytes of one request. */
  readonly kilobytes: number;
  readonly methods: Line;
  readonly codes: Line;
  readonly waf?: readonly Line[];
}

export const RECIPES: Record<Exclude<IncidentKind, 'outage'>, Recipe> = {
  waf_attack: {
    https: 0.9,
    saved: 1,
    kilobytes: 1,
    methods: [
      ['get', 0.6],
      ['post', 0.4],
    ],
    codes: [
      ['403', 0.96],
      ['200', 0.04],
    ],
    waf: [
      [['requests', 1]],
      [['threats', 1]],
      [
        ['blocked', 0.96],
        [null, 0.04],
      ],
      [
        ['sql', 0.55],
        ['xss', 0.3],
        ['rfi', 0.1],
        ['others', 0.05],
      ],
    ],
  },
  '5xx_spike': {
    https: 0.82,
    saved: 0,
    kilobytes: 2,
    methods: [
      ['get', 0.9],
      ['post', 0.1],
    ],
    codes: [
      ['503', 0.6],
      ['502', 0.3],
      ['500', 0.06],
      ['5xx', 0.04],
    ],
  },
  '4xx_spike': {
    https: 0.82,
    saved: 0,
    kilobytes: 2,
    methods: [['get', 1]],
    codes: [
      ['404', 0.9],
      ['400', 0.06],
      ['4xx', 0.04],
    ],
  },
  surge: {
    https: 0.82,
    saved: 0.8,
    kilobytes: 18,
    methods: [['get', 1]],
    codes: [
      ['200', 0.9],
      ['304', 0.1],
    ],
  },
};
