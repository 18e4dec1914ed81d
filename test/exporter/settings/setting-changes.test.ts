import { expect, it } from 'vitest';
import { memoryState } from '../../../src/exporter/state/open-state.ts';
import { StateWriteFailure } from '../../../src/exporter/state/state.ts';
import { type Answers, listOf, settingsBench } from './bench.ts';

const PATH = '/edge_firewall';
const CHANGED = 'edge_firewall_changed_timestamp_seconds';

function firewalls(...items: object[]): Answers {
  return { [PATH]: listOf(...items) };
}

it('takes the first sight of a setting for no change, and a difference for one', async () => {
  const bench = settingsBench('edge_firewalls', firewalls({ id: 1, name: 'a', waf_enabled: true }));
  await bench.poll();
  await bench.poll();
  expect(bench.value(CHANGED, { firewall_id: 1 })).toBeUndefined();
  bench.now += 60_000;
  bench.answers = firewalls({ id: 1, name: 'a', waf_enabled: false }, { id: 2, name: 'new' });
  await bench.poll();
  expect(bench.value(CHANGED, { firewall_id: 1, firewall: 'a' })).toBe(bench.now / 1_000);
  expect(bench.value(CHANGED, { firewall_id: 2 })).toBeUndefined();
  expect(bench.changes).toEqual([{ id: '1', name: 'a', fields: ['waf_enabled'] }]);
});

it('keeps the time of the last change through further reads and a restart, and finds what changed meanwhile', async () => {
  const state = memoryState();
  const bench = settingsBench('edge_firewalls', firewalls({ id: 1, is_active: true }), { state });
  await bench.poll();
  bench.answers = firewalls({ id: 1, is_active: false });
  await bench.poll();
  const time = bench.now / 1_000;
  bench.now += 600_000;
  await bench.poll();
  expect(bench.value(CHANGED, { firewall_id: 1 })).toBe(time);
  const again = settingsBench('edge_firewalls', bench.answers, { state });
  again.now = bench.now;
  await again.poll();
  expect(again.value(CHANGED, { firewall_id: 1 })).toBe(time);
  again.answers = firewalls({ id: 1, is_active: true });
  const meanwhile = settingsBench('edge_firewalls', again.answers, { state });
  meanwhile.now = again.now + 1_000;
  await meanwhile.poll();
  expect(meanwhile.value(CHANGED, { firewall_id: 1 })).toBe(meanwhile.now / 1_000);
});

it('takes neither another order, nor another author, nor a field that is new for a change', async () => {
  const bench = settingsBench(
    'edge_firewalls',
    firewalls({ id: 1, name: 'a', domains: [3, 1, 2], last_modified: '2026-01-01', last_editor: 'a@b' }),
  );
  await bench.poll();
  bench.answers = firewalls({
    domains: [1, 2, 3],
    name: 'a',
    id: '1',
    last_modified: '2026-02-02',
    last_editor: 'c@d',
    debug_rules: false,
    is_active: true,
    unheard_of: 1,
  });
  await bench.poll();
  expect(bench.value(CHANGED, { firewall_id: 1 })).toBeUndefined();
  bench.answers = firewalls({ id: 1, name: 'a', domains: [1, 2, 3], is_active: false });
  await bench.poll();
  expect(bench.value(CHANGED, { firewall_id: 1 })).toBeDefined();
});

it('shows nothing of what has gone, and remembers it until it has stayed away for three reads', async () => {
  const state = memoryState();
  const bench = settingsBench('edge_firewalls', firewalls({ id: 1, is_active: true }, { id: 2 }), { state });
  await bench.poll();
  bench.answers = firewalls({ id: 2 });
  await bench.poll();
  expect([...bench.shown().keys()].join()).not.toContain('"1"');
  bench.answers = firewalls({ id: 1, is_active: false }, { id: 2 });
  await bench.poll();
  expect(bench.value(CHANGED, { firewall_id: 1 })).toBeDefined();
  bench.answers = firewalls({ id: 2 });
  for (let read = 0; read < 3; read += 1) await bench.poll();
  expect([...state.keys(['settings'])]).toEqual([['settings', 'test', 'firewall', '2']]);
});

it('shows a change only once it is durable, and everything else all the same', async () => {
  const state = memoryState();
  const refusing = { ...state, refuses: false };
  refusing.commit = async (entries) => {
    if (refusing.refuses && entries.length > 0) throw new StateWriteFailure('full');
    await state.commit(entries);
  };
  const bench = settingsBench('edge_firewalls', firewalls({ id: 1, is_active: true }), { state: refusing });
  await bench.poll();
  refusing.refuses = true;
  bench.answers = firewalls({ id: 1, is_active: false });
  await bench.poll();
  expect(bench.value('edge_firewall_active', { firewall_id: 1 })).toBe(0);
  expect(bench.value(CHANGED, { firewall_id: 1 })).toBeUndefined();
  refusing.refuses = false;
  bench.now += 300_000;
  await bench.poll();
  expect(bench.value(CHANGED, { firewall_id: 1 })).toBe(bench.now / 1_000);
});

it('finds a whitelist that comes or goes, and another secret, without keeping either', async () => {
  const state = memoryState();
  const waf = settingsBench('waf_rulesets', { '/waf/rulesets': [{ id: 1 }] }, { state });
  await waf.poll();
  waf.answers = { '/waf/rulesets': [{ id: 1, whitelist: 'BasicRule wl:1' }] };
  await waf.poll();
  expect(waf.changes.map(({ fields }) => fields)).toEqual([['whitelist']]);
  const path = '/edge_firewall/rulesets';
  const legacy = settingsBench(
    'firewall_rulesets',
    { [path]: [{ id: 1, secret: 'hunter2-old' }] },
    { state },
  );
  await legacy.poll();
  legacy.answers = { [path]: [{ id: 1, secret: 'hunter2-new' }] };
  await legacy.poll();
  expect(legacy.changes.map(({ fields }) => fields)).toEqual([['secret']]);
  const kept = [...state.keys(['settings'])].map((key) => JSON.stringify(state.get(key))).join();
  expect(kept).toContain('secret');
  expect(kept).not.toMatch(/hunter2|BasicRule/);
});

it('finds changed code and arguments of a function, and does not mind how often it is used', async () => {
  const path = '/edge_functions';
  const given = { id: 1, code: 'a()', json_args: { b: 1, c: [2] }, reference_count: 1 };
  const bench = settingsBench('edge_functions', { [path]: listOf(given) });
  await bench.poll();
  const later = [
    { ...given, reference_count: 2 },
    { ...given, json_args: { c: [2], b: 1 } },
    { ...given, code: 'b()' },
    { ...given, code: 'b()', json_args: { b: 1, c: [3] } },
  ];
  for (const item of later) {
    bench.answers = { [path]: listOf(item) };
    await bench.poll();
  }
  expect(bench.changes.map(({ fields }) => fields)).toEqual([['code'], ['json_args']]);
});

it('does not take the detail of an item that was read later for a change of it', async () => {
  const bench = settingsBench('network_lists', { '/network_lists': listOf({ id: 3, name: 'l' }) });
  await bench.poll();
  bench.answers['/network_lists/3'] = { results: { name: 'l', items_values: ['192.0.2.1'] } };
  await bench.poll();
  expect(bench.changes).toEqual([]);
  bench.answers['/network_lists/3'] = { results: { name: 'l', items_values: [] } };
  await bench.poll();
  expect(bench.changes).toEqual([{ id: '3', name: 'l', fields: ['items_values'] }]);
  expect(bench.value('edge_network_list_items', { network_list_id: 3 })).toBe(0);
});
