import { expect, it } from 'vitest';
import { startBench } from '../client.ts';

it('a body that is no JSON is answered 400, and says by field what is wrong otherwise', async () => {
  const bench = await startBench();
  try {
    const send = async (body: string) => {
      const answer = await fetch(`${bench.url}/domains`, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json; version=3',
          authorization: 'Token sandbox-token',
        },
      });
      return [answer.status, await answer.json()];
    };
    expect(await send('{"name":')).toEqual([400, { detail: 'JSON parse error.' }]);
    expect(await send('"name"')).toEqual([400, { detail: 'A JSON object is required.' }]);
    expect(await send('{"name":"","cnames":"x"}')).toEqual([
      400,
      {
        name: ['This field may not be blank'],
        cnames: [expect.any(String)],
        edge_application_id: ['This field is required.'],
      },
    ]);
  } finally {
    await bench.close();
  }
});
