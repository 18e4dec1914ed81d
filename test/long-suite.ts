/** Returns the first of two lengths of a story in `npm run test:long`, and the second in every other suite. */
export function inLongSuite<Of>(long: Of, otherwise: Of): Of {
  return process.env['TEST_SUITE'] === 'long' ? long : otherwise;
}
