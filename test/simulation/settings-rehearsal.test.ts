import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { COLLECTORS } from '../../src/exporter/collectors.ts';
import { openState } from '../../src/exporter/state/open-state.ts';
import { DEFAULT_TOKEN, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { seriesKey } from '../parse-exposition.ts';
import { type Simulation, simulate } from './simulation.ts';

const AMPLE = { reads: 10_000, writes: 1_000, purges: 1_000 };
const SETTINGS = Object.fromEntries(
  Object.keys(COLLECTORS).map((name) => [name, { schedule: '*/2 * * * *' }]),
);
const NEXT_READ = 3;

const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Rehearsed extends Simulation {
  /** Performs one operation of the platform's API, as an operator's tool does. */
  call(method: string, path: string, body: object, version?: number): Promise<void>;
  readonly directory: string;
}

async function rehearse(): Promise<Rehearsed> {
  const directory = await mkdtemp(join(tmpdir(), 'settings-'));
  const state = await openState(directory, { info: () => undefined, warn: () => undefined });
  const simulation = await simulate({
    state,
    sandbox: { laterFields: 'present', rateLimit: AMPLE },
    account: { collectors: SETTINGS },
  });
  const platform = await simulation.sandbox.listen(0);
  ends.push(
    () => rm(directory, { recursive: true }),
    () => state.close(),
    () => simulation.close(),
    () => platform.close(),
  );
  return {
    ...simulation,
    directory,
    async call(method, path, body, version = 3) {
      const response = await fetch(platform.url + path, {
        method,
        headers: {
          accept: `application/json; version=${version}`,
          authorization: `Token ${DEFAULT_TOKEN.token}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    },
  };
}

type Labels = Record<string, string | number>;
type Series = readonly [name: string, labels: Labels, before: number | undefined, after: number | undefined];

interface Rehearsal {
  /** Change of a setting: method, path, body and version of the API. */
  readonly change: (sandbox: Sandbox) => readonly [string, string, object, number?];
  readonly series: (sandbox: Sandbox) => readonly Series[];
  /** Series that shows the change. */
  readonly changed: (sandbox: Sandbox) => readonly [string, Labels];
}

function first<Item>(items: Iterable<Item>): Item {
  for (const item of items) return item;
  throw new Error('the sandbox has none');
}

function ruleset(sandbox: Sandbox): { waf_ruleset_id: number; waf_ruleset: string } {
  const { id, name } = first(sandbox.account.wafRulesets);
  return { waf_ruleset_id: id, waf_ruleset: name };
}

function ownList({ account }: Sandbox) {
  return first([...account.networkLists].filter(({ id }) => id !== 2 && id !== 187));
}

const REHEARSALS: Record<string, Rehearsal> = {
  'a domain is switched off': {
    change: ({ account }) => ['PATCH', `/domains/${first(account.domains).id}`, { is_active: false }],
    series: ({ account }) => {
      const { id, name } = first(account.domains);
      return [['edge_domain_active', { domain_id: id, domain: name }, 1, 0]];
    },
    changed: ({ account }) => {
      const { id, name } = first(account.domains);
      return ['edge_domain_changed_timestamp_seconds', { domain_id: id, domain: name }];
    },
  },
  'a certificate gets another name': {
    change: ({ account }) => [
      'PATCH',
      `/digital_certificates/${first(account.certificates).id}`,
      { name: 'another' },
    ],
    series: ({ account }) => {
      const { id, name, valid_until } = first(account.certificates);
      const expiry = 'edge_certificate_expiry_timestamp_seconds';
      const end = Number(valid_until) / 1_000;
      return [
        [expiry, { certificate_id: id, certificate: name }, end, undefined],
        [expiry, { certificate_id: id, certificate: 'another' }, undefined, end],
      ];
    },
    changed: ({ account }) => [
      'edge_certificate_changed_timestamp_seconds',
      { certificate_id: first(account.certificates).id, certificate: 'another' },
    ],
  },
  'caching is switched off in an application': {
    change: ({ account }) => [
      'PATCH',
      `/edge_applications/${first(account.applications).id}`,
      { caching: false },
    ],
    series: ({ account }) => {
      const { id, name } = first(account.applications);
      const labels = { edge_application_id: id, edge_application: name };
      return [
        ['edge_application_module_enabled', { ...labels, module: 'caching' }, 1, 0],
        ['edge_application_active', labels, 1, 1],
      ];
    },
    changed: ({ account }) => {
      const { id, name } = first(account.applications);
      return [
        'edge_application_changed_timestamp_seconds',
        { edge_application_id: id, edge_application: name },
      ];
    },
  },
  'a function gets other code': {
    change: ({ account }) => [
      'PATCH',
      `/edge_functions/${first(account.functions).id}`,
      { code: 'addEventListener("fetch", exfiltrate)' },
    ],
    series: ({ account }) => {
      const { id, name } = first(account.functions);
      return [['edge_function_active', { function_id: id, function: name }, 1, 1]];
    },
    changed: ({ account }) => {
      const { id, name } = first(account.functions);
      return ['edge_function_changed_timestamp_seconds', { function_id: id, function: name }];
    },
  },
  'the WAF of a firewall is switched off': {
    change: ({ account }) => {
      const { id, name, domains } = first(account.firewalls);
      return ['PUT', `/edge_firewall/${id}`, { name, domains: domains.slice(1), waf_enabled: false }];
    },
    series: ({ account }) => {
      const { id, name, domains } = first(account.firewalls);
      const labels = { firewall_id: id, firewall: name };
      const domain = { ...labels, domain_id: Number(domains[0]), configuration_id: Number(domains[0]) };
      return [
        ['edge_firewall_waf_enabled', labels, 1, 0],
        ['edge_firewall_active', labels, 1, 1],
        ['edge_firewall_domains', labels, 2, 1],
        ['edge_firewall_domain_info', domain, 1, undefined],
      ];
    },
    changed: ({ account }) => {
      const { id, name } = first(account.firewalls);
      return ['edge_firewall_changed_timestamp_seconds', { firewall_id: id, firewall: name }];
    },
  },
  'a legacy rule set is switched off': {
    change: ({ account }) => [
      'PATCH',
      `/edge_firewall/rulesets/${first(account.firewallRulesets).id}`,
      { is_active: false, geo_countries: [] },
      1,
    ],
    series: ({ account }) => {
      const { id, name } = first(account.firewallRulesets);
      const labels = { firewall_ruleset_id: id, firewall_ruleset: name };
      return [
        ['edge_firewall_ruleset_active', labels, 1, 0],
        ['edge_firewall_ruleset_countries', labels, 3, 0],
      ];
    },
    changed: ({ account }) => {
      const { id, name } = first(account.firewallRulesets);
      return [
        'edge_firewall_ruleset_changed_timestamp_seconds',
        { firewall_ruleset_id: id, firewall_ruleset: name },
      ];
    },
  },
  'the WAF is set to counting': {
    change: (sandbox) => [
      'PATCH',
      `/_sandbox/waf/rulesets/${ruleset(sandbox).waf_ruleset_id}`,
      { mode: 'counting', sql_injection: false, file_upload_sensitivity: 'lowest' },
    ],
    series: (sandbox) => {
      const labels = ruleset(sandbox);
      const file = { ...labels, family: 'file_upload' };
      return [
        ['edge_waf_ruleset_info', { ...labels, mode: 'blocking' }, 1, undefined],
        ['edge_waf_ruleset_info', { ...labels, mode: 'counting' }, undefined, 1],
        ['edge_waf_ruleset_blocking', labels, 1, 0],
        ['edge_waf_ruleset_family_enabled', { ...labels, family: 'sql_injection' }, 1, 0],
        ['edge_waf_ruleset_family_info', { ...file, sensitivity: 'medium' }, 1, undefined],
        ['edge_waf_ruleset_family_info', { ...file, sensitivity: 'lowest' }, undefined, 1],
      ];
    },
    changed: (sandbox) => ['edge_waf_ruleset_changed_timestamp_seconds', ruleset(sandbox)],
  },
  'a network list is emptied': {
    change: (sandbox) => {
      const { id, name, list_type } = ownList(sandbox);
      return ['PUT', `/network_lists/${id}`, { name, list_type, items_values: [] }];
    },
    series: (sandbox) => {
      const { id, name } = ownList(sandbox);
      return [['edge_network_list_items', { network_list_id: id, network_list: name }, 2, 0]];
    },
    changed: (sandbox) => {
      const { id, name } = ownList(sandbox);
      return ['edge_network_list_changed_timestamp_seconds', { network_list_id: id, network_list: name }];
    },
  },
  'a zone is switched off': {
    change: ({ account }) => {
      const { id, name, domain } = first(account.zones);
      return ['PUT', `/intelligent_dns/${id}`, { name, domain, is_active: false }];
    },
    series: ({ account }) => {
      const { id, name, soa_ttl } = first(account.zones);
      const labels = { zone_id: id, zone: name };
      return [
        ['edge_zone_active', labels, 1, 0],
        ['edge_zone_soa_ttl_seconds', labels, soa_ttl, soa_ttl],
      ];
    },
    changed: ({ account }) => {
      const { id, name } = first(account.zones);
      return ['edge_zone_changed_timestamp_seconds', { zone_id: id, zone: name }];
    },
  },
  'a record is added': {
    change: ({ account }) => [
      'POST',
      `/intelligent_dns/${first(account.zones).id}/records`,
      { record_type: 'CNAME', entry: 'new', answers_list: ['elsewhere.example.net'], ttl: 20 },
    ],
    series: ({ account }) => {
      const { id, name } = first(account.zones);
      const labels = { zone_id: id, zone: name, record_type: 'CNAME' };
      return [
        ['edge_zone_records', labels, 5, 6],
        ['edge_zone_record_ttl_min_seconds', labels, 3600, 20],
      ];
    },
    changed: ({ account }) => {
      const { id, name } = first(account.zones);
      return ['edge_zone_changed_timestamp_seconds', { zone_id: id, zone: name }];
    },
  },
  'an error page is cached for an hour': {
    change: ({ account }) => [
      'PATCH',
      `/content_delivery/configurations/${first(account.applications).id}/error_responses`,
      { cache_error_501: 3600 },
      1,
    ],
    series: ({ account }) => {
      const { id, name } = first(account.applications);
      const labels = { product: 'content_delivery', configuration_id: id, configuration: name };
      return [
        ['edge_error_response_cache_seconds', { ...labels, code: 501 }, 1, 3600],
        ['edge_error_response_cache_seconds', { ...labels, code: 404 }, 1, 1],
      ];
    },
    changed: ({ account }) => {
      const { id, name } = first(account.applications);
      return [
        'edge_error_response_changed_timestamp_seconds',
        { product: 'content_delivery', configuration_id: id, configuration: name },
      ];
    },
  },
};

it.each(Object.entries(REHEARSALS))(
  'shows at the next read that %s, and when, and still does after a restart',
  async (_, { change, series, changed }) => {
    const stage = await rehearse();
    const expected = series(stage.sandbox);
    await stage.minutes(NEXT_READ);
    const before = await stage.scrape();
    const value = (samples: ReadonlyMap<string, number>, name: string, labels: Labels) =>
      samples.get(seriesKey(name, { account: 'test', ...labels }));
    for (const [name, labels, was] of expected) expect(value(before.samples, name, labels), name).toBe(was);
    expect([...before.samples.keys()].filter((key) => key.includes('_changed_timestamp'))).toEqual([]);

    await stage.call(...change(stage.sandbox));
    const changedAt = stage.clock.now() / 1_000;
    await stage.minutes(NEXT_READ);
    const [name, labels] = changed(stage.sandbox);
    const seenAt = value((await stage.scrape()).samples, name, labels);
    expect(seenAt).toBeGreaterThanOrEqual(Math.floor(changedAt));
    expect(seenAt).toBeLessThanOrEqual(stage.clock.now() / 1_000);

    for (const run of ['going on', 'restarted'] as const) {
      if (run === 'restarted') await stage.restart();
      else await stage.minutes(NEXT_READ);
      const { samples } = await stage.scrape();
      for (const [name, labels, , is] of expected)
        expect(value(samples, name, labels), `${run} ${name}`).toBe(is);
      expect(value(samples, name, labels), run).toBe(seenAt);
      const changes = [...samples.keys()].filter((key) => key.includes('_changed_timestamp'));
      expect(changes, run).toHaveLength(1);
    }
    expect(stage.log.filter(({ message }) => message === 'setting changed')).toHaveLength(1);
  },
);

it('shows, logs and keeps nothing of secrets, code, arguments, addresses, rules and answers', async () => {
  const stage = await rehearse();
  const { account } = stage.sandbox;
  const legacy = [...account.firewallRulesets].find(({ secret }) => secret !== null);
  await stage.minutes(NEXT_READ);
  await stage.call('PATCH', `/edge_functions/${first(account.functions).id}`, {
    code: 'steal(codeword)',
    json_args: { key: 'argument-codeword' },
  });
  const newSecret = { secret: 'changed-signing-codeword', require_secure_token: true };
  await stage.call('PATCH', `/edge_firewall/rulesets/${legacy?.id}`, newSecret, 1);
  await stage.minutes(NEXT_READ);
  const changes = stage.log.filter(({ message }) => message === 'setting changed');
  expect(changes.map(({ facts }) => (facts as { fields: string }).fields).sort()).toEqual([
    'code,json_args',
    'secret',
  ]);
  const { samples } = await stage.scrape();
  const entries = await readdir(stage.directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const kept = await Promise.all(
    files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'latin1')),
  );
  const texts = {
    metrics: JSON.stringify([...samples]),
    log: JSON.stringify(stage.log),
    status: JSON.stringify(stage.exporter().accounts()),
    state: kept.join(),
  };
  expect(texts.metrics).toContain('edge_firewall_ruleset_info');
  expect(texts.state).toContain('json_args');
  const hidden = [
    ...['download-signing-secret', 'changed-signing-codeword', 'steal(codeword)', 'argument-codeword'],
    ...[...account.functions].flatMap(({ code, json_args }) => [
      code,
      ...Object.values(json_args).map(String),
    ]),
    ...[...account.networkLists].flatMap(({ items_values }) => items_values.map(String)),
    ...[...account.firewallRulesets].flatMap((ruleset) => ruleset.ip_blocking_addresses),
    ...[...account.records].flatMap(({ answers_list }) => answers_list),
    ...[...account.wafRulesets].flatMap(({ whitelist }) => whitelist ?? []),
    ...['CHN', 'PRK'],
  ].filter((text) => text.length > 2);
  expect(hidden.length).toBeGreaterThan(30);
  for (const [place, text] of Object.entries(texts)) {
    for (const secret of hidden) {
      expect(text.includes(secret), `${secret} in ${place}`).toBe(false);
    }
    // The editor of a setting appears only as a label.
    expect(text.includes('operator@example.com'), place).toBe(place === 'metrics');
  }
});
