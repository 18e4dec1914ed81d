/** The CPU time of taking in answers, all threads included: those that collect garbage are part of it. */
import { decodeSeries } from '../../src/exporter/decode/decode.ts';
import { IngestPath, METRIC } from './ingest-path.ts';
import { answerTo } from './scrape-platform.ts';
import { median } from './statistics.ts';

export interface IngestOptions {
  readonly configurations: number;
  /** How often each is polled, beside a first time. */
  readonly minutes: number;
}

/** CPU time (ms) of one answer. */
export interface IngestMeasured {
  /** How many the answer has. */
  readonly points: number;
  readonly parse: number;
  /** Of a document that is parsed already. */
  readonly decode: number;
  /** From its bytes to the body of a scrape, each by itself. */
  readonly singly: number;
  /** The same, of as many together as the exporter waits for. */
  readonly together: number;
  /** Bytes of a compressed scrape. */
  readonly bytes: number;
}

const MINUTE_MS = 60_000;
/** Answers that the exporter renders together where they come in bursts. */
const TOGETHER = 16;
/** So many answers are parsed or decoded for one measurement, and so many measurements are made. */
const ANSWERS = 300;
const MEASUREMENTS = 9;

export async function measureIngest({ configurations, minutes }: IngestOptions): Promise<IngestMeasured> {
  const path = new IngestPath(configurations, Date.UTC(2026, 0, 1, 12) + 1_000);
  const answers = new Answers();
  const poll = async (atOnce: number) => {
    path.now += MINUTE_MS;
    const used = await cpuOf(() => path.poll((query) => answers.to(query), atOnce));
    return used / configurations;
  };
  // The first answers make the series, the second ones restate what the first showed; code is optimized meanwhile.
  await poll(TOGETHER);
  await poll(TOGETHER);
  const [singly, together]: [number[], number[]] = [[], []];
  for (let minute = 0; minute < minutes; minute++) {
    singly.push(await poll(1));
    together.push(await poll(TOGETHER));
  }
  return {
    ...(await measureDecoding(answers.latest, path.now)),
    singly: median(singly),
    together: median(together),
    bytes: path.bytes,
  };
}

/** Measures in a process of its own, and tells the parent. */
export async function tellIngest(options: IngestOptions): Promise<void> {
  process.send?.(await measureIngest(options));
}

async function measureDecoding(latest: Buffer, now: number) {
  const text = latest.toString();
  const body: unknown = JSON.parse(text);
  const points = Object.values(JSON.parse(text) as Record<string, unknown[]>).flat().length;
  const [parsing, decoding]: [number[], number[]] = [[], []];
  // In turn, so that whatever else the machine does meets them alike.
  for (let measurement = 0; measurement <= MEASUREMENTS; measurement++) {
    parsing.push(await cpuOfEach(() => JSON.parse(text)));
    decoding.push(await cpuOfEach(() => decodeSeries(body, { metric: METRIC, id: '1' }, now)));
  }
  return { points, parse: median(parsing.slice(1)), decode: median(decoding.slice(1)) };
}

/** Answers of one window are the same for all configurations; what is compared is what they cost, not what they say. */
class Answers {
  latest: Buffer = Buffer.alloc(0);
  #search = '';

  to(query: Readonly<Record<string, string>>): Buffer {
    const search = new URLSearchParams(query).toString();
    if (search !== this.#search) this.latest = Buffer.from(answerTo(search));
    this.#search = search;
    return this.latest;
  }
}

async function cpuOfEach(work: () => unknown): Promise<number> {
  const used = await cpuOf(() => {
    for (let index = 0; index < ANSWERS; index++) work();
  });
  return used / ANSWERS;
}

/** CPU time (ms) of this process while it works. */
async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
