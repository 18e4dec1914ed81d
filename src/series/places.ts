/** The place of each of some dimensions in arrays of what is kept of them. */
export type Places = ReadonlyMap<string, number>;

/** Sets of dimensions met of late, by their names in a row. */
const known = new Map<string, Places>();

/** Those asked for last: one answer asks for them several times, and those after it mostly have the same. */
let latestPlaces: Places = new Map();

/** More than all metrics have; what comes beyond that is shared by fewer. */
const MOST_NAMES = 10_000;

/** Of all of them. */
let names = 0;

/**
 * The place of each of some dimensions. The same object for the same dimensions: thousands of configurations have those of
 * one metric, and each keeps its places for as long as it is polled.
 */
export function placesOf(dimensions: Iterable<string>): Places {
  const asked = [...dimensions];
  if (isInPlace(asked, latestPlaces)) return latestPlaces;
  const key = JSON.stringify(asked);
  latestPlaces = known.get(key) ?? remembered(key, new Map(asked.map((name, place) => [name, place])));
  return latestPlaces;
}

function remembered(key: string, places: Places): Places {
  if (names + places.size > MOST_NAMES) {
    known.clear();
    names = 0;
  }
  names += places.size;
  known.set(key, places);
  return places;
}

function isInPlace(names: readonly string[], places: Places): boolean {
  return names.length === places.size && names.every((name, place) => places.get(name) === place);
}
