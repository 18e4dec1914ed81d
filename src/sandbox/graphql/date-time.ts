import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

/** A moment in a filter: ms since the epoch, and how far the zone it was written in is ahead of UTC, in minutes. */
export class Moment {
  readonly time: number;
  readonly zone: number;

  constructor(time: number, zone: number) {
    this.time = time;
    this.zone = zone;
  }
}

const WRITTEN = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))?(Z|[+-]\d\d:?\d\d)?$/i;

/** Reads an ISO 8601 date or time, UTC without a zone. @throws GraphQLError when it is none */
export function moment(text: unknown): Moment {
  const [, day, time = '00:00', suffix = 'Z'] = WRITTEN.exec(String(text)) ?? [];
  const zone = zoneOf(suffix);
  const utc = Date.parse(`${day}T${time}Z`);
  // Date.parse takes 2026-02-30 for the second of March.
  const isReal = day !== undefined && !Number.isNaN(utc) && new Date(utc).toISOString().startsWith(day);
  if (!isReal) throw new GraphQLError(`DateTime cannot represent an invalid date-time: ${String(text)}`);
  return new Moment(utc - zone * 60_000, zone);
}

function zoneOf(suffix: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(suffix) ?? [];
  return (sign === '-' ? -1 : 1) * (60 * Number(hours ?? 0) + Number(minutes ?? 0));
}

/** `2026-10-03T13:16:00Z` */
export const DateTime = new GraphQLScalarType<Moment, string>({
  name: 'DateTime',
  description: 'A date with a time, ISO 8601. UTC where no zone is given.',
  serialize: (time) => new Date(Number(time)).toISOString().replace('.000Z', 'Z'),
  parseValue: moment,
  parseLiteral: (node) => moment(node.kind === Kind.STRING ? node.value : undefined),
});
