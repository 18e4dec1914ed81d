/** What a test does much of every night and before a release (`CI_ALL=true`), and less of for a change. */
export function atNight<Of>(night: Of, otherwise: Of): Of {
  return process.env['CI_ALL'] === 'true' ? night : otherwise;
}
