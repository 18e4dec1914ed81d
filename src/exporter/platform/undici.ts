import api from 'undici/lib/api/index.js';
import buildConnector from 'undici/lib/core/connect.js';
import errors from 'undici/lib/core/errors.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
import Pool from 'undici/lib/dispatcher/pool.js';

// Like undici's index, without fetch, WebSocket, caches and mocks, which double time and memory.
Object.assign(Dispatcher.prototype, api);

export { buildConnector, Dispatcher, errors, Pool };
