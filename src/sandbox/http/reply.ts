/** A response before it is sent, as plain data to which faults can be applied. */
export interface Reply {
  readonly status: number;
  /** A JSON document. */
  readonly body?: unknown;
  /** Text body instead of a JSON document. */
  readonly text?: string;
  /** Content type; default: application/json. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function ok(body: unknown): Reply {
  return { status: 200, body };
}

/** Returns the envelope of a single resource in version 3 (specification 2.0). */
export function result(results: unknown, status = 200): Reply {
  return { status, body: { results, schema_version: 3 } };
}

export const NO_CONTENT: Reply = { status: 204 };

/** Returns an error in one of the platform's four formats, each of which was recorded from some resources. */
export function detail(status: number, text: string, headers: Record<string, string> = {}): Reply {
  return { status, body: { detail: text }, headers };
}

export function codedError(status: number, message: string, error: string): Reply {
  return { status, body: { errors: [{ message, error }], schema_version: 3 } };
}

export function listedErrors(status: number, ...errors: string[]): Reply {
  return { status, body: { errors } };
}

/** Returns a response with the errors of a body, by field. */
export function fieldErrors(problems: Readonly<Record<string, readonly string[]>>): Reply {
  return { status: 400, body: problems };
}

export function htmlError(status: number): Reply {
  const title = status === 400 ? '400 Bad Request' : `${status} Error`;
  const text = `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;
  return { status, text, contentType: 'text/html' };
}

export const NOT_FOUND: Reply = detail(404, 'Not found.');
