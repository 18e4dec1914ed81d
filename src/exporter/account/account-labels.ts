import type { Labels } from '../catalogue/family.ts';

interface Labelled {
  readonly labels: Labels;
}

/** Adds an account's own labels to samples, behind theirs, which win. Equal objects stay equal: their text is written once. */
export function withLabels(
  added: Labels,
): <Sample extends Labelled>(samples: readonly Sample[]) => readonly Sample[] {
  if (Object.keys(added).length === 0) return (samples) => samples;
  const known = new WeakMap<Labels, Labels>();
  const labelsOf = (labels: Labels): Labels => {
    const all = known.get(labels) ?? { ...labels, ...without(added, labels) };
    known.set(labels, all);
    return all;
  };
  return (samples) => samples.map((sample) => ({ ...sample, labels: labelsOf(sample.labels) }));
}

/** The labels that are added to some. */
function without(added: Labels, labels: Labels): Labels {
  return Object.fromEntries(Object.entries(added).filter(([name]) => (labels[name] ?? '') === ''));
}
