import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../../src/sandbox/sandbox.ts';
import { NOON } from '../client.ts';

const DELIVERY = 1441740010;
const MINUTE = 60_000;

function setUp() {
  const clock = { time: NOON };
  const sandbox = createSandbox({ now: () => clock.time });
  const [application] = sandbox.account.applications;
  const [domain] = sandbox.account.domains;
  if (application === undefined || domain === undefined) throw new Error('the account is empty');
  const requests = (configuration: number | 'product') =>
    sandbox
      .truth({
        api: 'analytics',
        product: DELIVERY,
        configuration,
        metric: 'requests',
        from: NOON - 10 * MINUTE,
        to: NOON + 10 * MINUTE,
      })
      ['total']?.map(([, value]) => value) ?? [];
  return { sandbox, application, domain, requests, clock };
}

describe('the history of assignments', () => {
  it('stops the traffic of a configuration while it is inactive, and keeps what was counted before', () => {
    const { sandbox, application, requests, clock } = setUp();
    const before = requests(application.id);
    sandbox.account.applications.update(application.id, { active: false });
    clock.time += 5 * MINUTE;
    sandbox.account.applications.update(application.id, { active: true });
    const after = requests(application.id);
    expect(after.slice(0, 10)).toEqual(before.slice(0, 10));
    expect(after.slice(11, 15)).toEqual([0, 0, 0, 0]);
    expect(after.slice(16)).toEqual(before.slice(16));
  });

  it('keeps the traffic of a removed domain in its configuration and its product until it was removed', () => {
    const { sandbox, domain, requests } = setUp();
    const before = requests('product');
    const own = requests(domain.id);
    sandbox.account.domains.remove(domain.id);
    const after = requests('product');
    expect(after.slice(0, 10)).toEqual(before.slice(0, 10));
    expect(after[12]).toBe((before[12] ?? 0) - (own[12] ?? 0));
  });

  it('gives a new domain traffic from its creation on', () => {
    const { sandbox, domain, requests } = setUp();
    const id = sandbox.account.domains.nextId() + 2;
    sandbox.account.domains.put({ ...domain, id, name: 'new' });
    expect(requests(id).slice(0, 10)).toEqual(Array(10).fill(0));
    expect(
      requests(id)
        .slice(11)
        .every((value) => value > 0),
    ).toBe(true);
  });

  it('moves the traffic of a domain to another application from then on', () => {
    const { sandbox, application, domain, requests } = setUp();
    const [before, own] = [requests(application.id), requests(domain.id)];
    sandbox.account.domains.update(domain.id, { edge_application_id: application.id + 1 });
    expect(requests(application.id).slice(0, 10)).toEqual(before.slice(0, 10));
    expect(requests(application.id)[15]).toBe((before[15] ?? 0) - (own[15] ?? 0));
    expect(requests(domain.id)).toEqual(own);
  });
});
