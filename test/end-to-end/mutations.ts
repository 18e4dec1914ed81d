/** Answer of the platform before it is sent. */
export interface MutableAnswer {
  status: number;
  readonly headers: Map<string, string>;
  body: Buffer;
}

type Random = () => number;

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

const STATUSES = [200, 201, 202, 204, 206, 301, 302, 304, 307, 400, 404, 406, 410, 418, 500, 502, 503, 599];
const NUMBERS = [
  '1e308',
  '-1',
  '1e400',
  '-0',
  '9007199254740993',
  '0.1',
  'NaN',
  'null',
  'true',
  '"7"',
  '[]',
  '{}',
];
const TEXTS = [
  '"',
  '\\',
  '[',
  ']',
  '{',
  '}',
  ',',
  ':',
  '\u0000',
  '\ud800',
  '\\ud800',
  '"__proto__":',
  '\ufeff',
  '\n',
];
const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ['content-type', ['text/html', 'application/json; charset=utf-16', '']],
  ['content-encoding', ['gzip', 'br', 'identity', 'gzip, gzip']],
  ['content-length', ['0', '7', '99999999']],
  ['location', ['/', '//elsewhere.example.net/', 'http://127.0.0.1:1/', 'not a url', '']],
  ['date', ['Thu, 01 Jan 1970 00:00:00 GMT', 'tomorrow', '']],
];

function spliced(body: Buffer, from: number, to: number, piece: string | Buffer): Buffer {
  return Buffer.concat([body.subarray(0, from), Buffer.from(piece as string), body.subarray(to)]);
}

function stretch(random: Random, { length }: Buffer, longest: number): readonly [number, number] {
  const from = Math.floor(random() * length);
  return [from, Math.min(length, from + Math.ceil(random() * longest))];
}

const MUTATIONS: readonly ((answer: MutableAnswer, random: Random) => void)[] = [
  (answer, random) => {
    const at = Math.floor(random() * answer.body.length);
    answer.body = spliced(answer.body, at, at + 1, Buffer.of(Math.floor(random() * 256)));
  },
  (answer, random) => {
    answer.body = spliced(answer.body, ...stretch(random, answer.body, 200), '');
  },
  (answer, random) => {
    const [from, to] = stretch(random, answer.body, 400);
    const again = answer.body.toString('latin1', from, to).repeat(1 + Math.floor(random() * 20));
    answer.body = spliced(answer.body, to, to, Buffer.from(again, 'latin1'));
  },
  (answer, random) => {
    answer.body = answer.body.subarray(0, Math.floor(random() * answer.body.length));
  },
  (answer, random) => {
    const at = Math.floor(random() * answer.body.length);
    answer.body = spliced(answer.body, at, at, pick(random, TEXTS));
  },
  (answer, random) => {
    const numbers = [...answer.body.toString('latin1').matchAll(/-?\d+(\.\d+)?/g)];
    const found = numbers[Math.floor(random() * numbers.length)];
    if (found === undefined) return;
    answer.body = spliced(answer.body, found.index, found.index + found[0].length, pick(random, NUMBERS));
  },
  (answer, random) => {
    answer.status = pick(random, STATUSES);
  },
  (answer, random) => {
    const [name, values] = pick(random, HEADERS);
    answer.headers.set(name, pick(random, values));
  },
];

const STRANGE: readonly unknown[] = [
  null,
  true,
  -1,
  0.1,
  1e308,
  2 ** 53 + 2,
  '7',
  '',
  [],
  {},
  [null],
  [[]],
  { length: 2, 0: 1, 1: 2 },
];

interface Place {
  readonly parent: object;
  readonly key: string;
  readonly among: object;
}

function placesIn(parent: unknown, among: object, found: Place[] = []): Place[] {
  if (typeof parent !== 'object' || parent === null) return found;
  for (const [key, value] of Object.entries(parent)) {
    found.push({ parent, key, among });
    placesIn(value, parent, found);
  }
  return found;
}

function mutateContent(answer: MutableAnswer, random: Random): void {
  const document: unknown = JSON.parse(answer.body.toString());
  for (let count = Math.ceil(random() * 3); count > 0; count--) {
    const places = placesIn(document, []);
    if (places.length === 0) break;
    const { parent, key, among } = pick(random, places);
    const to = random() < 0.1 ? Reflect.get(parent, pick(random, places).key) : pick(random, STRANGE);
    const all = random() < 0.5 ? Object.values(among) : [parent];
    for (const one of all) if (Object.hasOwn(Object(one), key)) one[key] = structuredClone(to);
  }
  answer.body = Buffer.from(JSON.stringify(document));
}

/** Changes the content or the transfer of an answer in one to three ways, or occasionally not at all. */
export function mutate(answer: MutableAnswer, random: Random): void {
  if (random() < 0.5) mutateContent(answer, random);
  else for (let count = Math.floor(random() * 4); count > 0; count--) pick(random, MUTATIONS)(answer, random);
}
