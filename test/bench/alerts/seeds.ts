/**
 * Seeds that judge the shipped rules, by world. They were chosen before the rules were changed, and are evaluated once before and
 * once after that. No rule or parameter is chosen on them: use any other seed for that. 9101 to 9106 have been used up.
 */
export const EVALUATION_SEEDS: Readonly<Record<string, readonly number[]>> = {
  smooth: [9_201],
  real: [9_202, 9_203],
  unusual: [9_204, 9_205, 9_206],
};
