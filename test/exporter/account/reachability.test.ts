import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/exporter/platform/read.ts';
import type { Job } from '../../../src/exporter/poll/job.ts';
import { Reachability } from '../../../src/exporter/poll/observed-platform.ts';
import { FOUND } from '../poll/polling.ts';

function jobOf(id: string): Job {
  return {
    id,
    subject: { collector: id },
    schedule: '* * * * *',
    group: id,
    weight: 1,
    cost: () => 1,
    read: async () => undefined,
    conclude: () => FOUND,
  };
}

const STATUS: Partial<Record<Outcome, number>> = { ok: 200, server_error: 503, not_found: 404 };

function account() {
  const reachability = new Reachability(() => 0);
  const [domains, zones, series] = [jobOf('domains'), jobOf('zones'), jobOf('series')];
  const exchange = (outcome: 'ok' | 'server_error' | 'not_found', method: 'GET' | 'POST' = 'GET') =>
    reachability.exchanged({
      method,
      path: '/x',
      version: 3,
      status: STATUS[outcome] ?? 200,
      outcome,
      answeredBy: 'platform',
      startedAt: 0,
      endedAt: 0,
      bytes: 0,
    });
  const poll = (job: Job, outcome: 'ok' | 'server_error' | 'not_found') => {
    exchange(outcome);
    const end = { reason: undefined, failure: undefined, rejected: undefined, result: undefined };
    reachability.polled({
      ...end,
      job,
      outcome,
      operations: 1,
      durationMs: 1,
      endedAt: 0,
      committed: false,
    } as never);
  };
  /** Makes another server answer a job, such as a proxy with its own page for refused requests. */
  const mislead = (job: Job) => {
    const page = { status: 404, outcome: 'not_found', answeredBy: 'foreign', form: 'HTML' } as const;
    reachability.exchanged({
      method: 'GET',
      path: '/x',
      version: 3,
      startedAt: 0,
      endedAt: 0,
      bytes: 0,
      ...page,
    });
    const end = { reason: 'HTTP 404', failure: undefined, rejected: undefined, result: undefined };
    reachability.polled({
      ...end,
      job,
      outcome: 'not_found',
      before: undefined,
      foreignAnswer: 'answers 404 with HTML',
      operations: 1,
      durationMs: 1,
      endedAt: 0,
      committed: false,
    });
  };
  const state = () => [reachability.up, reachability.note];
  return { poll, mislead, exchange, state, domains, zones, series };
}

const UP = [true, ''];
const DOWN = [false, 'the platform answers 503'];

describe('a platform that answers 5xx', () => {
  it('to one job while it serves others is up, however often that job is tried again', () => {
    const { poll, state, domains, series } = account();
    poll(series, 'ok');
    for (let retry = 0; retry < 10; retry += 1) {
      poll(domains, 'server_error');
      expect(state()).toEqual(UP);
    }
  });

  it('to a second job as well is down, and up again with the first answer', () => {
    const { poll, state, domains, series, zones } = account();
    poll(series, 'ok');
    poll(domains, 'server_error');
    poll(series, 'server_error');
    expect(state()).toEqual(DOWN);
    poll(domains, 'server_error');
    expect(state()).toEqual(DOWN);
    poll(zones, 'not_found');
    expect(state()).toEqual(UP);
    poll(domains, 'server_error');
    expect(state()).toEqual(UP);
  });

  it('to two jobs in a row is down, before the one that was served last is polled again', () => {
    const { poll, state, domains, series, zones } = account();
    poll(series, 'ok');
    poll(domains, 'server_error');
    expect(state()).toEqual(UP);
    poll(zones, 'server_error');
    expect(state()).toEqual(DOWN);
  });

  it('to one job and later to another, with other answers in between, is up', () => {
    const { poll, state, domains, series, zones } = account();
    poll(series, 'ok');
    poll(domains, 'server_error');
    poll(series, 'ok');
    poll(zones, 'server_error');
    expect(state()).toEqual(UP);
  });

  it('to those jobs that it already answered so before it served another is up', () => {
    const { poll, state, domains, series, zones } = account();
    poll(domains, 'ok');
    poll(series, 'server_error');
    poll(zones, 'server_error');
    expect(state()).toEqual(DOWN);
    poll(domains, 'ok');
    poll(series, 'server_error');
    poll(zones, 'server_error');
    expect(state()).toEqual(UP);
    poll(series, 'ok');
    poll(series, 'server_error');
    expect(state()).toEqual(DOWN);
  });

  it('to a job that it served beside those that it has answered so for long is down', () => {
    const { poll, state, domains, series, zones } = account();
    poll(series, 'server_error');
    poll(domains, 'ok');
    poll(zones, 'ok');
    poll(series, 'server_error');
    expect(state()).toEqual(UP);
    poll(domains, 'server_error');
    poll(series, 'server_error');
    expect(state()).toEqual(DOWN);
  });

  it('to the only job is down', () => {
    const { poll, state, domains } = account();
    poll(domains, 'ok');
    poll(domains, 'server_error');
    expect(state()).toEqual(DOWN);
  });

  it('from the start is down', () => {
    const { poll, state, domains } = account();
    poll(domains, 'server_error');
    expect(state()).toEqual(DOWN);
  });

  it('where a token is to be created is down', () => {
    const { poll, exchange, state, series } = account();
    poll(series, 'ok');
    exchange('server_error', 'POST');
    expect(state()).toEqual(DOWN);
  });
});

describe('another server that answers in the place of the platform', () => {
  const MISLED = [false, 'answers 404 with HTML: is api_url right?'];

  it('a single time to a job is no reason to be down', () => {
    const { poll, mislead, state, series } = account();
    poll(series, 'ok');
    mislead(series);
    expect(state()).toEqual(UP);
  });

  it('twice to a job that the platform once answered is, until the platform answers again', () => {
    const { poll, mislead, state, series } = account();
    poll(series, 'ok');
    mislead(series);
    mislead(series);
    expect(state()).toEqual(MISLED);
    poll(series, 'ok');
    expect(state()).toEqual(UP);
  });

  it('twice, with the platform recognised in between, is not', () => {
    const { poll, mislead, state, series, zones } = account();
    poll(series, 'ok');
    mislead(series);
    poll(zones, 'ok');
    mislead(series);
    expect(state()).toEqual(UP);
  });

  it('to a job that the platform never answered is not, however often: that path may be a proxy’s', () => {
    const { poll, mislead, state, series, zones } = account();
    poll(series, 'ok');
    for (let retry = 0; retry < 10; retry += 1) mislead(zones);
    expect(state()).toEqual(UP);
  });
});

it.each([
  ['GET', 'the platform refuses the token'],
  ['POST', 'the platform refuses the user name or the password'],
  ['DELETE', ''],
] as const)(
  'a 401 to a %s tells what was refused: a token that is revoked may be gone already',
  (method, note) => {
    const reachability = new Reachability(() => 0);
    reachability.exchanged({
      method,
      path: '/x',
      version: 3,
      status: 401,
      outcome: 'unauthorized',
      answeredBy: 'platform',
      startedAt: 0,
      endedAt: 0,
      bytes: 0,
    });
    expect([reachability.note, reachability.up]).toEqual([note, note === '' ? undefined : false]);
  },
);
