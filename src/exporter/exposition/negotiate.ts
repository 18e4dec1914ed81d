import type { ExpositionFormat } from './text-format.ts';

export const CONTENT_TYPES: Readonly<Record<ExpositionFormat, string>> = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

interface MediaRange {
  readonly type: string;
  readonly version: string | undefined;
  /** Weight from 0 to 1; 0 refuses the type. */
  readonly weight: number;
}

/** Parses one element of an Accept header (RFC 9110, section 12.5.1). An invalid weight counts as 1, as a missing one does. */
function parseRange(element: string): MediaRange {
  const [type = '', ...pairs] = element.split(';').map((part) => part.trim().toLowerCase());
  const parameters = new Map(
    pairs.map((pair): [string, string] => {
      const [name = '', value = ''] = pair.split('=').map((side) => side.trim());
      return [name, value];
    }),
  );
  const weight = Number.parseFloat(parameters.get('q') ?? '1');
  return {
    type,
    version: parameters.get('version')?.replaceAll('"', ''),
    weight: Number.isNaN(weight) ? 1 : weight,
  };
}

/**
 * Returns the weight (0 to 1) of the most specific of `types` that the header contains, without a version or with `version`.
 * Returns 0 if it contains none of them.
 */
function weightOf(ranges: readonly MediaRange[], types: readonly string[], version: string): number {
  for (const type of types) {
    const matching = ranges.filter(
      (range) => range.type === type && (range.version === undefined || range.version === version),
    );
    if (matching.length > 0) return Math.max(...matching.map((range) => range.weight));
  }
  return 0;
}

/**
 * Returns the format for an Accept header: OpenMetrics if the client lists it with at least the weight of text, otherwise text. A
 * wildcard means text, because browsers and curl accept anything.
 */
export function negotiateFormat(accept: string | undefined): ExpositionFormat {
  const ranges = (accept ?? '').split(',').map(parseRange);
  const openmetrics = weightOf(ranges, ['application/openmetrics-text'], '1.0.0');
  const text = weightOf(ranges, ['text/plain', 'text/*', '*/*'], '0.0.4');
  return openmetrics > 0 && openmetrics >= text ? 'openmetrics' : 'text';
}
