import { expect, it } from 'vitest';
import { startBench } from './client.ts';

it('answers carry the fields that were seen though not documented, when told to', async () => {
  const bench = await startBench({ laterFields: 'present' });
  try {
    const results = async (path: string) => ((await bench.get(path)).json() as { results: object }).results;
    expect(await results('/digital_certificates/14')).toEqual({
      id: 14,
      name: '*.shop.example.com',
      subject_name: ['*.shop.example.com'],
      issuer: 'Example CA',
      validity: '2028-03-24 20:09:00-00:00',
      status: 'active',
      certificate_type: 'edge_certificate',
      managed: false,
    });
    expect(await results('/digital_certificates/15')).toMatchObject({ validity: null });
    expect(await results('/domains/1536580016')).toMatchObject({
      environment: 'production',
      edge_firewall_id: 200,
    });
    expect(await results('/edge_firewall/200')).toMatchObject({ debug_rules: false });
    expect(await results('/intelligent_dns/40960/records')).toMatchObject({
      records: [{ record_id: 90000 }, {}, {}, {}, {}, {}],
    });
  } finally {
    await bench.close();
  }
});
