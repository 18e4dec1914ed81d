/**
 * Seeds that judge the shipped rules, by world. They are chosen before a change of the rules, and evaluated
 * once before and once after it. Rules are tuned on other seeds. Seeds 9101 to 9106 and 9201 to 9206 are used
 * up: choose new ones before the next change.
 */
export const EVALUATION_SEEDS: Readonly<Record<string, readonly number[]>> = {
  smooth: [9_201],
  real: [9_202, 9_203],
  unusual: [9_204, 9_205, 9_206],
};
