import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CollectorName } from '../../../src/exporter/collectors.ts';
import { listOf, settingsBench } from '../settings/bench.ts';

async function payload(name: string): Promise<unknown> {
  return JSON.parse(await readFile(join(import.meta.dirname, `../../payloads/${name}.json`), 'utf8'));
}

function result(body: unknown): unknown {
  return body !== null && typeof body === 'object' && 'results' in body ? body.results : body;
}

interface Expected {
  readonly collector: CollectorName;
  readonly answers: (given: (name: string) => Promise<unknown>) => Promise<Record<string, unknown>>;
  readonly shows: readonly (readonly [string, Record<string, string | number>, number])[];
  readonly hides?: readonly string[];
}

const CASES: Record<string, Expected> = {
  domains: {
    collector: 'domains',
    answers: async (given) => ({ '/domains': listOf(result(await given('domains_get_v3'))) }),
    shows: [
      [
        'edge_domain_info',
        {
          domain_id: 1536580019,
          configuration_id: 1536580019,
          domain: 'Domain HLS Test',
          domain_name: '101918m.ha.azioncdn.net',
          edge_application_id: 1536580781,
          certificate_id: '',
        },
        1,
      ],
      ['edge_domain_active', { domain_id: 1536580019 }, 1],
      ['edge_domain_cnames', { domain_id: 1536580019 }, 1],
      ['edge_domain_cname_info', { domain_id: 1536580019, cname: 'www.getthiscname.com' }, 1],
    ],
  },
  'digital certificates': {
    collector: 'digital_certificates',
    answers: async (given) => ({ '/digital_certificates': await given('digital_certificates_list_v3') }),
    shows: [
      ['edge_certificate_info', { certificate_id: 14, certificate: 'Self-signed Certificate' }, 1],
      ['edge_certificate_info', { certificate_id: 344 }, 1],
    ],
  },
  'edge applications': {
    collector: 'edge_applications',
    answers: async (given) => ({
      '/edge_applications': {
        ...((await given('edge_applications_list_v3')) as object),
        total_pages: 1,
        links: {},
      },
      '/edge_applications/1528990724': await given('edge_applications_get_v3'),
    }),
    shows: [
      ['edge_application_info', { edge_application_id: 1528990724, delivery_protocol: 'http' }, 1],
      ['edge_application_active', { edge_application_id: 1528990725 }, 1],
      ['edge_application_origins', { edge_application_id: 1528990725 }, 2],
      [
        'edge_application_origin_info',
        {
          edge_application_id: 1528990725,
          origin_id: '0924c04d-b00a-4653-8575-92053e0d0e2f',
          origin: 'Z1',
          origin_type: 'single_origin',
        },
        1,
      ],
      ['edge_application_module_enabled', { edge_application_id: 1528990724, module: 'caching' }, 1],
      ['edge_application_module_enabled', { edge_application_id: 1528990724, module: 'load_balancer' }, 0],
    ],
  },
  'edge functions': {
    collector: 'edge_functions',
    answers: async (given) => ({ '/edge_functions': await given('edge_functions_list_v3') }),
    shows: [
      [
        'edge_function_info',
        { function_id: 4184, function: 'Teste', language: 'javascript', initiator_type: 'edge_application' },
        1,
      ],
      ['edge_function_active', { function_id: 4184 }, 1],
      ['edge_function_references', { function_id: 4184 }, 0],
      ['edge_function_last_editor_info', { function_id: 4184, last_editor: 'teste@gmail.com' }, 1],
    ],
    hides: ['handleRequest'],
  },
  'edge firewalls': {
    collector: 'edge_firewalls',
    answers: async (given) => ({ '/edge_firewall': listOf(result(await given('edge_firewall_get_v3'))) }),
    shows: [
      ['edge_firewall_info', { firewall_id: 200, firewall: 'Edge Firewall' }, 1],
      ['edge_firewall_active', { firewall_id: 200 }, 1],
      ['edge_firewall_waf_enabled', { firewall_id: 200 }, 1],
      ['edge_firewall_network_protection_enabled', { firewall_id: 200 }, 1],
      ['edge_firewall_functions_enabled', { firewall_id: 200 }, 0],
      ['edge_firewall_domains', { firewall_id: 200 }, 3],
      ['edge_firewall_domain_info', { firewall_id: 200, domain_id: 112788979 }, 1],
      ['edge_firewall_last_editor_info', { firewall_id: 200, last_editor: 'azion@azion.com' }, 1],
    ],
  },
  'legacy firewall rule sets': {
    collector: 'firewall_rulesets',
    answers: async (given) => ({ '/edge_firewall/rulesets': [await given('edge_firewall_rulesets_get_v1')] }),
    shows: [
      [
        'edge_firewall_ruleset_info',
        {
          firewall_ruleset_id: 534,
          firewall_ruleset: 'Bloqueio de Países',
          geo_block: 'blacklist',
          ip_blocking_rule: 'allow_from_all',
        },
        1,
      ],
      ['edge_firewall_ruleset_active', { firewall_ruleset_id: 534 }, 1],
      ['edge_firewall_ruleset_referer_blocking', { firewall_ruleset_id: 534 }, 0],
      ['edge_firewall_ruleset_blank_referer_allowed', { firewall_ruleset_id: 534 }, 0],
      ['edge_firewall_ruleset_secure_token_required', { firewall_ruleset_id: 534 }, 0],
      ['edge_firewall_ruleset_accepted_domains', { firewall_ruleset_id: 534 }, 0],
      ['edge_firewall_ruleset_countries', { firewall_ruleset_id: 534 }, 3],
      ['edge_firewall_ruleset_addresses', { firewall_ruleset_id: 534 }, 0],
    ],
    hides: ['CHN'],
  },
  'WAF rule sets': {
    collector: 'waf_rulesets',
    answers: async (given) => ({ '/waf/rulesets': [await given('waf_rulesets_get_v2')] }),
    shows: [
      ['edge_waf_ruleset_info', { waf_ruleset_id: 3, waf_ruleset: 'WAF for myApp', mode: 'blocking' }, 1],
      ['edge_waf_ruleset_active', { waf_ruleset_id: 3 }, 1],
      ['edge_waf_ruleset_blocking', { waf_ruleset_id: 3 }, 1],
      ['edge_waf_ruleset_whitelist_bytes', { waf_ruleset_id: 3 }, 42],
      ['edge_waf_ruleset_family_enabled', { waf_ruleset_id: 3, family: 'sql_injection' }, 1],
      [
        'edge_waf_ruleset_family_info',
        { waf_ruleset_id: 3, family: 'identified_attack', sensitivity: 'medium' },
        1,
      ],
    ],
    hides: ['BasicRule'],
  },
  'network lists': {
    collector: 'network_lists',
    answers: async (given) => ({
      '/network_lists': await given('network_lists_list_v3'),
      '/network_lists/17': await given('network_lists_get_v3_asn'),
      '/network_lists/187': await given('network_lists_get_v3_asn'),
    }),
    shows: [
      [
        'edge_network_list_info',
        { network_list_id: 20, network_list: 'Azion Country', list_type: 'countries' },
        1,
      ],
      ['edge_network_list_items', { network_list_id: 17 }, 2],
      ['edge_network_list_info', { network_list_id: 187, network_list: 'ASN List' }, 1],
      ['edge_network_list_items', { network_list_id: 187 }, 2],
    ],
    hides: ['4321', 'RTM User Name'],
  },
  'hosted zones and records': {
    collector: 'hosted_zones',
    answers: async (given) => ({
      '/intelligent_dns': await given('intelligent_dns_list_v3'),
      '/intelligent_dns/1': {
        results: {
          id: 1,
          nameservers: ['ns1', 'ns2'],
          expiry: 9,
          nx_ttl: 8,
          refresh: 7,
          retry: 6,
          soa_ttl: 5,
        },
      },
      '/intelligent_dns/1/records': await given('intelligent_dns_records_list_v3'),
    }),
    shows: [
      ['edge_zone_info', { zone_id: 1, zone: 'Domain Criado via API', domain: 'mydomain.com' }, 1],
      ['edge_zone_active', { zone_id: 2 }, 1],
      ['edge_zone_records', { zone_id: 1, record_type: 'ANAME' }, 1],
      ['edge_zone_record_ttl_min_seconds', { zone_id: 1, record_type: 'ANAME' }, 3600],
      ['edge_zone_nameservers', { zone_id: 1 }, 2],
      ['edge_zone_expiry_seconds', { zone_id: 1 }, 9],
      ['edge_zone_negative_ttl_seconds', { zone_id: 1 }, 8],
      ['edge_zone_refresh_seconds', { zone_id: 1 }, 7],
      ['edge_zone_retry_seconds', { zone_id: 1 }, 6],
      ['edge_zone_soa_ttl_seconds', { zone_id: 1 }, 5],
    ],
    hides: ['123456a'],
  },
};

it.each(Object.entries(CASES))(
  'shows the documented and recorded %s',
  async (_, { collector, ...expected }) => {
    const bench = settingsBench(collector, await expected.answers(payload));
    expect(await bench.poll()).toMatchObject({ outcome: 'ok', rejected: new Map() });
    for (const [name, labels, value] of expected.shows) {
      expect(bench.value(name, labels), `${name} ${JSON.stringify(labels)}`).toBe(value);
    }
    const everything = JSON.stringify([...bench.shown()]);
    for (const hidden of expected.hides ?? []) expect(everything).not.toContain(hidden);
  },
);

it('shows the cache times of error responses as documented, and of codes that are not', async () => {
  const configurations = [{ id: '5', name: 'shop', active: true, domains: [] }];
  const path = '/content_delivery/configurations/5/error_responses';
  const times = { cache_error_400: 0, cache_error_404: 60, cache_error_501: 1, cache_error_503: 2, other: 3 };
  const bench = settingsBench('error_responses', { [path]: times }, { configurations });
  expect(await bench.poll()).toMatchObject({ outcome: 'ok' });
  const labels = { product: 'content_delivery', configuration_id: 5, configuration: 'shop' };
  const shown = [400, 404, 501, 503].map((code) =>
    bench.value('edge_error_response_cache_seconds', { ...labels, code }),
  );
  expect(shown).toEqual([0, 60, 1, 2]);
  expect(bench.shown().size).toBe(4);
});

it('tells the end of a certificate in every form that was seen', async () => {
  const ends = ['2028-03-24 20:09:00-03:00', '2028-03-24T23:09:00Z', null, 'soon'];
  const items = ends.map((validity, index) => ({ id: index + 1, name: 'c', validity, managed: index === 0 }));
  const bench = settingsBench('digital_certificates', { '/digital_certificates': listOf(...items) });
  await bench.poll();
  const shown = [1, 2, 3, 4].map((certificate_id) =>
    bench.value('edge_certificate_expiry_timestamp_seconds', { certificate_id }),
  );
  const end = Date.UTC(2028, 2, 24, 23, 9) / 1_000;
  expect(shown).toEqual([end, end, undefined, undefined]);
  expect(bench.value('edge_certificate_managed', { certificate_id: 1 })).toBe(1);
});
