/** Returns the first value in `npm run test:long`, and the second one in every other suite. */
export function inLongSuite<Of>(long: Of, otherwise: Of): Of {
  return process.env['TEST_SUITE'] === 'long' ? long : otherwise;
}
