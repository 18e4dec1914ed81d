/** A moment (ms since the epoch) as the platform writes it: `2016-11-18T14:10:58.024903Z`. */
export function microseconds(time: number): string {
  return new Date(time).toISOString().replace('Z', '903Z');
}
