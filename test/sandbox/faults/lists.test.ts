import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FaultSettings } from '../../../src/sandbox/faults/faults.ts';
import { type Bench, startBench } from '../client.ts';
import { LIST_PATHS } from '../list-paths.ts';

const atPath = (path: string) => ({ paths: [`${path}$`] });

const WRONG: Readonly<Record<string, (path: string) => FaultSettings>> = {
  404: (path) => ({ not_found: atPath(path) }),
  403: (path) => ({ forbidden: atPath(path) }),
  500: (path) => ({ server_error: atPath(path) }),
  empty: (path) => ({ empty_answer: { form: 'list', ...atPath(path) } }),
};

describe('a list of the platform', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await startBench();
  });
  beforeEach(() => bench.sandbox.faults.clear());
  afterAll(() => bench.close());

  /** Returns the status of a list, or `empty` for a list without items. */
  const answerOf = async (path: string, version: number) => {
    const answer = await bench.get(path, version);
    return answer.status === 200 && itemsOf(answer.json()) === 0 ? 'empty' : String(answer.status);
  };
  const all = async () => {
    const answers: Record<string, string> = {};
    for (const [path, version] of LIST_PATHS) answers[path] = await answerOf(path, version);
    return answers;
  };
  const fine = Object.fromEntries(LIST_PATHS.map(([path]) => [path, '200']));

  it.each(Object.keys(WRONG))('answers %s while the others answer as ever', async (kind) => {
    for (const [path, version] of LIST_PATHS) {
      bench.sandbox.faults.set(WRONG[kind]?.(path) ?? {});
      expect(await answerOf(path, version), path).toBe(kind);
    }
    const [last = ''] = LIST_PATHS.at(-1) ?? [];
    expect(await all()).toEqual({ ...fine, [last]: kind });
  });

  it('goes wrong in its own way while each of the others does in another', async () => {
    const kinds = Object.keys(WRONG);
    const kindOf = (index: number) => kinds[index % kinds.length] ?? '';
    const pathsOf = (kind: string) =>
      LIST_PATHS.filter((_, index) => kindOf(index) === kind).map(([path]) => `${path}$`);
    bench.sandbox.faults.set({
      not_found: { paths: pathsOf('404') },
      forbidden: { paths: pathsOf('403') },
      server_error: { paths: pathsOf('500') },
      empty_answer: { form: 'list', paths: pathsOf('empty') },
    });
    expect(await all()).toEqual(Object.fromEntries(LIST_PATHS.map(([path], index) => [path, kindOf(index)])));
  });

  it('is empty in its own envelope, or null as some answers have it', async () => {
    bench.sandbox.faults.set({ empty_answer: { form: 'list' } });
    const links = { previous: null, next: null };
    const empty = { count: 0, total_pages: 0, schema_version: 3, links, results: [] };
    expect((await bench.get('/domains?page_size=1')).json()).toEqual(empty);
    expect((await bench.get('/intelligent_dns/40960/records')).json()).toEqual({
      ...empty,
      results: { records: [], zone_id: 40960, zone_domain: 'example.com' },
    });
    expect((await bench.get('/domains/1536580016')).json()).toMatchObject({ results: { id: 1536580016 } });
    bench.sandbox.settings.configurationsShape = 'sequence';
    expect((await bench.get('/metrics/products/1441740010/configurations', 2)).text).toBe('');
    bench.sandbox.faults.patch({ quirks: { kinds: ['null_results'] } });
    expect((await bench.get('/domains')).json()).toEqual({ ...empty, results: null });
  });
});

function itemsOf(document: unknown): number {
  const { results = document } = document as { results?: unknown };
  const { records = results } = results as { records?: unknown };
  return Object.keys(records as object).length;
}
