/**
 * What an operator makes of two arrays, element by element, into a third; NaN where one of the two is NaN. Comparisons
 * yield 1 and 0. Each is a loop of its own, since one that calls a function for each element takes several times as long.
 */
export type Elementwise = (left: Float64Array, right: Float64Array, into: Float64Array) => void;

const add: Elementwise = (left, right, into) => {
  for (let at = 0; at < into.length; at++) into[at] = (left[at] as number) + (right[at] as number);
};

const subtract: Elementwise = (left, right, into) => {
  for (let at = 0; at < into.length; at++) into[at] = (left[at] as number) - (right[at] as number);
};

const multiply: Elementwise = (left, right, into) => {
  for (let at = 0; at < into.length; at++) into[at] = (left[at] as number) * (right[at] as number);
};

const divide: Elementwise = (left, right, into) => {
  for (let at = 0; at < into.length; at++) into[at] = (left[at] as number) / (right[at] as number);
};

const remainder: Elementwise = (left, right, into) => {
  for (let at = 0; at < into.length; at++) into[at] = (left[at] as number) % (right[at] as number);
};

const less: Elementwise = (left, right, into) => {
  for (let at = 0; at < into.length; at++) {
    const [a, b] = [left[at] as number, right[at] as number];
    into[at] = a < b ? 1 : a >= b ? 0 : Number.NaN;
  }
};

const lessOrEqual: Elementwise = (left, right, into) => {
  for (let at = 0; at < into.length; at++) {
    const [a, b] = [left[at] as number, right[at] as number];
    into[at] = a <= b ? 1 : a > b ? 0 : Number.NaN;
  }
};

const equal: Elementwise = (left, right, into) => {
  for (let at = 0; at < into.length; at++) {
    const [a, b] = [left[at] as number, right[at] as number];
    into[at] = a === b ? 1 : a < b || a > b ? 0 : Number.NaN;
  }
};

const unequal: Elementwise = (left, right, into) => {
  for (let at = 0; at < into.length; at++) {
    const [a, b] = [left[at] as number, right[at] as number];
    into[at] = a < b || a > b ? 1 : a === b ? 0 : Number.NaN;
  }
};

export const ARITHMETIC: Readonly<Record<string, Elementwise>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '%': remainder,
};

export const COMPARISONS: Readonly<Record<string, Elementwise>> = {
  '==': equal,
  '!=': unequal,
  '<': less,
  '>': (left, right, into) => less(right, left, into),
  '<=': lessOrEqual,
  '>=': (left, right, into) => lessOrEqual(right, left, into),
};

/** Whether there is any element. */
export function hasAny(values: Float64Array): boolean {
  for (let at = 0; at < values.length; at++) if (!Number.isNaN(values[at] as number)) return true;
  return false;
}

/** Takes out what a comparison does not let through: where `holds` is not 1. */
export function keepWhere(holds: Float64Array, kept: Float64Array): void {
  for (let at = 0; at < holds.length; at++) {
    holds[at] = holds[at] === 1 ? (kept[at] as number) : Number.NaN;
  }
}
