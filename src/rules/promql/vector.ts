import type { LabelMatcher } from './parse.ts';

/** Labels of a series, without its metric name. */
export type Labels = Readonly<Record<string, string>>;

/** Returns a text that is equal for equal labels. */
export function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns only the labels with these names, if present. */
export function only(labels: Labels, names: readonly string[]): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => names.includes(name)));
}

/** Returns the labels without those with these names. */
export function without(labels: Labels, names: readonly string[]): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !names.includes(name)));
}

/** Returns true if a series matches all matchers; a missing label counts as empty. */
export function matches(labels: Labels, matchers: readonly LabelMatcher[]): boolean {
  return matchers.every((matcher) => fits(labels[matcher.label] ?? '', matcher));
}

function fits(given: string, { operator, value }: LabelMatcher): boolean {
  const same = operator.endsWith('~') ? anchored(value).test(given) : given === value;
  return operator.startsWith('!') ? !same : same;
}

/** Returns a regular expression that matches a whole text, as in Prometheus. */
export function anchored(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`, 's');
}

/** Returns the labels after applying `label_replace`. */
export function replaced(
  labels: Labels,
  [label = '', replacement = '', source = '', pattern = '']: readonly string[],
): Labels {
  const match = anchored(pattern).exec(labels[source] ?? '');
  if (match === null) return labels;
  const value = replacement.replaceAll(/\$(\d+)/g, (_, group: string) => match[Number(group)] ?? '');
  return value === '' ? without(labels, [label]) : { ...labels, [label]: value };
}

/**
 * A compiled expression. A vector has one index per possible set of labels, and NaN where there is no element. A number has one
 * index without labels. The next call overwrites the array.
 */
interface CompiledOf<Kind extends 'scalar' | 'vector'> {
  readonly kind: Kind;
  readonly labels: readonly Labels[];
  readonly at: (moment: number) => Float64Array;
}

export type Scalar = CompiledOf<'scalar'>;

export type Vector = CompiledOf<'vector'>;

export type Compiled = Scalar | Vector;

/** Returns a number as a compiled expression. @param of returns the number at a given time */
export function number(of: (moment: number) => number): Scalar {
  const value = new Float64Array(1);
  return {
    kind: 'scalar',
    labels: [{}],
    at(moment) {
      value[0] = of(moment);
      return value;
    },
  };
}

/** Returns the value of a number at a given time; NaN if there is none. */
export function numberAt(of: Compiled | undefined, moment: number): number {
  return of?.at(moment)[0] ?? Number.NaN;
}
