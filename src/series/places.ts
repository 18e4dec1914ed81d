/** The place of each of some dimensions in arrays of what is kept of them. */
export type Places = ReadonlyMap<string, number>;

/** Sets of dimensions met of late, by their names in a row. */
const known = new Map<string, Places>();

/** Those asked for last: one answer asks for them several times, and those after it mostly have the same. */
let latestPlaces: Places = new Map();

/** More than there are metrics; what comes beyond that is shared by fewer. */
const MOST_KNOWN = 200;

/**
 * The place of each of some dimensions. The same object for the same dimensions: thousands of configurations have those of
 * one metric, and each keeps its places for as long as it is polled.
 */
export function placesOf(dimensions: Iterable<string>): Places {
  const names = [...dimensions];
  if (isInPlace(names, latestPlaces)) return latestPlaces;
  const key = JSON.stringify(names);
  latestPlaces = known.get(key) ?? new Map(names.map((name, place) => [name, place]));
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, latestPlaces);
  return latestPlaces;
}

function isInPlace(names: readonly string[], places: Places): boolean {
  return names.length === places.size && names.every((name, place) => places.get(name) === place);
}
