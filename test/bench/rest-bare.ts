/** The least that a Node.js process which answers requests takes. */
import { createServer } from 'node:http';

const [host, port] = (process.argv[2] ?? '').split(':');
createServer((_, response) => response.end('bare 1\n')).listen(Number(port), host);
