import { expect, it } from 'vitest';
import { imaginedRead } from '../../../src/exporter/plan/offline-plan.ts';
import { thriftyRead } from '../../../src/exporter/plan/survey.ts';
import { readPages } from '../../../src/exporter/platform/pages.ts';
import type { Read } from '../../../src/exporter/platform/read.ts';

const { signal } = new AbortController();

function counted(read: Read): { read: Read; performed: () => number } {
  let performed = 0;
  const counting: Read = (resource, aborts) => {
    performed += 1;
    return read(resource, aborts);
  };
  return { read: counting, performed: () => performed };
}

it('a long list is read by two of its pages, and yet all of them are counted', async () => {
  const platform = counted(imaginedRead({ usual: 0, named: new Map([['domains', 2_950]]) }));
  const asked = counted(thriftyRead(platform.read));
  const ids = new Set<unknown>();
  const list = { path: '/domains', version: 3, origin: 'https://api.example.net' } as const;
  for await (const items of readPages(asked.read, list, signal)) {
    for (const item of items) ids.add((item as { id: unknown }).id);
  }
  expect(asked.performed()).toBe(30);
  expect(platform.performed()).toBe(2);
  expect(ids.size).toBe(3_000);
});

it('what differs in more than an id or a page is read', async () => {
  const platform = counted(imaginedRead({ usual: 3, named: new Map() }));
  const read = thriftyRead(platform.read);
  for (const path of ['/zones/1', '/zones/2', '/zones/3', '/zones/4/records', '/domains'])
    await read(() => ({ path, version: 3 }), signal);
  expect(platform.performed()).toBe(4);
});
