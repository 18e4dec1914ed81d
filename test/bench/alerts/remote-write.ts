import snappy from 'snappyjs';
import type { Labels } from '../../../src/rules/promql/vector.ts';

const HOUR = 3_600_000;

const STALE_MARKER = 0x7ff0_0000_0000_0002n;

/** Series to write: one value for each interval since the epoch; NaN if there is none. */
export interface WrittenSeries {
  readonly name: string;
  readonly labels: Labels;
  /** Milliseconds between two values. */
  readonly interval: number;
  readonly values: Float64Array;
}

/** Writes whole series to a Prometheus in order of time, with stale markers at their ends. */
export async function writeSeries(url: string, series: readonly WrittenSeries[]): Promise<void> {
  const encoded = series.map((one) => ({ ...one, labels: labelBytes(one) }));
  const length = Math.max(...series.map(({ values, interval }) => values.length * interval));
  const buffer = Buffer.alloc(series.length * 2_000 + 1_000_000);
  for (let from = 0; from < length; from += HOUR) {
    let end = 0;
    for (const one of encoded) end = writeHour(buffer, end, one, from);
    const response = await fetch(`${url}/api/v1/write`, {
      method: 'POST',
      headers: { 'content-encoding': 'snappy', 'content-type': 'application/x-protobuf' },
      body: snappy.compress(new Uint8Array(buffer.subarray(0, end))),
    });
    if (!response.ok) throw new Error(`remote write: ${response.status} ${await response.text()}`);
  }
}

function labelBytes({ name, labels }: WrittenSeries): Buffer {
  const sorted = Object.entries({ ...labels, __name__: name }).sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = sorted.map(([label, value]) => {
    const pair = Buffer.concat([field(1, Buffer.from(label)), field(2, Buffer.from(value))]);
    return field(1, pair);
  });
  return Buffer.concat(parts);
}

/** Encodes a protobuf field with fewer than 128 bytes. */
function field(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}

function writeHour(
  into: Buffer,
  start: number,
  { labels, interval, values }: Omit<WrittenSeries, 'labels' | 'name'> & { readonly labels: Buffer },
  from: number,
): number {
  // The length precedes the samples but is known only after them. Five bytes are reserved for it.
  let at = start + 6 + labels.length;
  const first = at;
  const until = Math.min(values.length, (from + HOUR) / interval);
  for (let index = from / interval; index < until; index++) {
    const value = values[index] as number;
    const ends = Number.isNaN(value);
    if (ends && Number.isNaN(values[index - 1] ?? Number.NaN)) continue;
    at = writeSample(into, at, ends ? STALE_MARKER : value, index * interval);
  }
  if (at === first) return start;
  labels.copy(into, start + 6);
  into[start] = (1 << 3) | 2;
  writeLength(into, start + 1, at - start - 6);
  return at;
}

function writeSample(into: Buffer, start: number, value: number | bigint, time: number): number {
  into[start] = (2 << 3) | 2;
  into[start + 2] = (1 << 3) | 1;
  if (typeof value === 'bigint') into.writeBigUInt64LE(value, start + 3);
  else into.writeDoubleLE(value, start + 3);
  into[start + 11] = 2 << 3;
  let at = start + 12;
  let rest = time;
  for (; rest >= 128; rest = Math.floor(rest / 128)) into[at++] = (rest % 128) | 128;
  into[at++] = rest;
  into[start + 1] = at - start - 2;
  return at;
}

function writeLength(into: Buffer, at: number, length: number): void {
  let rest = length;
  for (let byte = 0; byte < 5; byte++) {
    into[at + byte] = (rest % 128) | (byte < 4 ? 128 : 0);
    rest = Math.floor(rest / 128);
  }
}
