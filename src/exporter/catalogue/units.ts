/** Kind of a quantity without a documented unit: an amount of data, or data per time. */
export type UnitKind = 'volume' | 'rate';

const VOLUME_UNITS = {
  bytes: 1,
  kilobytes: 1e3,
  megabytes: 1e6,
  gigabytes: 1e9,
  terabytes: 1e12,
  kibibytes: 2 ** 10,
  mebibytes: 2 ** 20,
  gibibytes: 2 ** 30,
  tebibytes: 2 ** 40,
} as const;

const RATE_UNITS = { bps: 1, kbps: 1e3, mbps: 1e6, gbps: 1e9 } as const;

export type UnitName = keyof typeof VOLUME_UNITS | keyof typeof RATE_UNITS;

/** All unit names that `units:` of the configuration accepts. */
export const UNIT_NAMES = Object.keys({ ...VOLUME_UNITS, ...RATE_UNITS }) as [UnitName, ...UnitName[]];

/** Returns the names of the units of some kinds. */
export function unitsOf(kinds: ReadonlySet<UnitKind>): readonly UnitName[] {
  return UNIT_NAMES.filter((unit) => [...kinds].some((kind) => baseUnits(unit, kind) !== undefined));
}

/** Units set by the operator: by API metric name, or by `metric.dimension` if a metric has both kinds. */
export type UnitOverrides = Readonly<Partial<Record<string, UnitName>>>;

/** Returns the bytes (volume) or bits per second (rate) of one unit; undefined if it is of the other kind. */
export function baseUnits(unit: UnitName, kind: UnitKind): number | undefined {
  const table: Partial<Record<UnitName, number>> = kind === 'volume' ? VOLUME_UNITS : RATE_UNITS;
  return table[unit];
}

/**
 * Assumed units. Volumes are megabytes of 10^6 bytes, as a former exporter reported. The platform's documentation mentions both
 * bits per second and Mbps for bandwidth. Bits per second keeps the platform's number, so that a wrong assumption is easily seen
 * and overridden.
 */
export const DEFAULT_UNITS = { volume: 'megabytes', rate: 'bps' } as const;
