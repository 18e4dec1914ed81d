import { GraphQLError, Kind, type ValueNode } from 'graphql';

/** A time in a filter: ms since the epoch, and the offset from UTC of its zone, in minutes. */
export class Moment {
  readonly time: number;
  readonly zone: number;

  constructor(time: number, zone: number) {
    this.time = time;
    this.zone = zone;
  }

  /** Allows comparisons with the starts of buckets. */
  valueOf(): number {
    return this.time;
  }
}

const WRITTEN = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))?(?:Z|([+-])(\d\d):?(\d\d))?$/i;

/** Parses an ISO 8601 date or time, UTC without a zone. @throws GraphQLError for other text */
function moment(text: unknown): Moment {
  const [, day, time = '00:00', sign, hours = 0, minutes = 0] = WRITTEN.exec(String(text)) ?? [];
  const zone = (sign === '-' ? -1 : 1) * (60 * Number(hours) + Number(minutes));
  const utc = Date.parse(`${day}T${time}Z`);
  // Date.parse converts 2026-02-30 to the second of March.
  const isReal = day !== undefined && !Number.isNaN(utc) && new Date(utc).toISOString().startsWith(day);
  if (!isReal) throw new GraphQLError(`DateTime cannot represent an invalid date-time: ${String(text)}`);
  return new Moment(utc - zone * 60_000, zone);
}

/** GraphQL scalar `DateTime`: `2026-10-03T13:16:00Z`. */
export const DATE_TIME = {
  serialize: (time: unknown) => new Date(Number(time)).toISOString().replace('.000Z', 'Z'),
  parseValue: moment,
  parseLiteral: (node: ValueNode) => moment(node.kind === Kind.STRING ? node.value : undefined),
};
