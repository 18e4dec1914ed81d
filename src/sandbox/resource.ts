import type { Reply } from './http/reply.ts';
import type { Permission } from './http/token-store.ts';

/** A request as the operations of a resource see it. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The JSON document sent, if any. */
  readonly body: unknown;
  /** The version negotiated. */
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What the node that answers takes for now: another time where the fault `node_clock` strikes. */
  readonly nodeTime: number;
  /** The absolute URL without its query, for links. */
  readonly address: string;
  readonly authorization: string | undefined;
  /** Who holds the token. */
  readonly editor: string;
}

/** One operation of specification section 4. */
export interface Operation {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  /** None where the specification names none. */
  readonly permission?: Permission;
  /** Where they differ from the resource's. */
  readonly versions?: readonly number[];
  /** Whether the request names a Content-Type although it has no body. */
  readonly contentType?: 'required';
  handle(call: Call): Reply;
}

export interface Resource {
  /** Accepted versions (section 9); empty where the Accept header selects none. */
  readonly versions: readonly number[];
  /** In which of the platform's styles this resource words its refusals. */
  readonly refusals?: 'detail' | 'coded' | 'listed';
  readonly operations: readonly Operation[];
}

/** The number in a path, or NaN, which is the id of nothing. */
export function idOf(text: string | undefined): number {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
