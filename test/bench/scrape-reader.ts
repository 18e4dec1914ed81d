/** What a read costs that does nothing with its answer but parse it: undici and `JSON.parse`, one read after another. */
import { Client } from 'undici';

const WARM_UP = 300;
const READS = 1_000;

/** Reads from an address, and tells the parent the CPU time of a read (ms). */
export async function readAgainAndAgain(address: string): Promise<void> {
  const { origin, pathname } = new URL(address);
  const client = new Client(origin);
  const read = async () => {
    const { body } = await client.request({ method: 'GET', path: pathname });
    JSON.parse(await body.text());
  };
  for (let index = 0; index < WARM_UP; index++) await read();
  const before = process.cpuUsage();
  for (let index = 0; index < READS; index++) await read();
  const { user, system } = process.cpuUsage(before);
  await client.close();
  process.send?.({ cpuPerRead: (user + system) / 1_000 / READS });
}
