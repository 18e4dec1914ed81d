import type { LabelMatcher } from './parse.ts';

/** The labels of a series but its name. */
export type Labels = Readonly<Record<string, string>>;

/** The same text for the same labels. */
export function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the labels of these names, if present. */
export function only(labels: Labels, names: readonly string[]): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => names.includes(name)));
}

/** Returns the labels without those of these names. */
export function without(labels: Labels, names: readonly string[]): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !names.includes(name)));
}

/** True if a series matches all matchers; a missing label is empty. */
export function matches(labels: Labels, matchers: readonly LabelMatcher[]): boolean {
  return matchers.every((matcher) => fits(labels[matcher.label] ?? '', matcher));
}

function fits(given: string, { operator, value }: LabelMatcher): boolean {
  const same = operator.endsWith('~') ? anchored(value).test(given) : given === value;
  return operator.startsWith('!') ? !same : same;
}

/** A regular expression as Prometheus understands it: of the whole text. */
export function anchored(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`, 's');
}

/** Returns the labels as `label_replace` changes them. */
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
 * A compiled expression. A vector has one place for each set of labels that it can have, and NaN where there is no element. A number has
 * one place without labels. The next call overwrites the array.
 */
interface CompiledOf<Kind extends 'scalar' | 'vector'> {
  readonly kind: Kind;
  readonly labels: readonly Labels[];
  readonly at: (moment: number) => Float64Array;
}

export type Scalar = CompiledOf<'scalar'>;

export type Vector = CompiledOf<'vector'>;

export type Compiled = Scalar | Vector;

/** A number that changes with the moment, or does not. */
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

/** The value of a number; NaN where there is none. */
export function numberAt(of: Compiled | undefined, moment: number): number {
  return of?.at(moment)[0] ?? Number.NaN;
}
