/**
 * Seeds that judge the shipped rules, by world. They were chosen before the rules of issue 44 were written, and are evaluated once
 * before and once after a change of the rules. No rule or parameter is chosen on them: use any other seed for that.
 */
export const EVALUATION_SEEDS: Readonly<Record<string, readonly number[]>> = {
  smooth: [9_101],
  real: [9_102, 9_103],
  unusual: [9_104, 9_105, 9_106],
};
