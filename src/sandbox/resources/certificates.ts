import { z } from 'zod';
import type { Certificate } from '../account/platform-account.ts';
import { namedReply, onItem } from '../crud.ts';
import type { Platform } from '../http/platform.ts';
import { codedError, detail, fieldErrors, NO_CONTENT, ok, type Reply, result } from '../http/reply.ts';
import { withBody, withPatch } from '../http/request-parts.ts';
import type { Call, Resource } from '../resource-router.ts';

const NOT_THERE = codedError(404, 'Not found', 'not_found');

const body = z.object({
  name: z.string().min(1),
  certificate: pem('CERTIFICATE'),
  private_key: pem('RSA PRIVATE KEY'),
});

type Fields = z.output<typeof body>;

/** Specification 4.3: single reads and creates are bare in version 1; overwrites and updates are in every version. */
export function certificates({ account, settings }: Platform): Resource {
  const all = account.certificates;
  const view = (certificate: Certificate) => viewOf(certificate, settings.laterFields);
  const single = (certificate: Certificate, { version }: Call, status: number): Reply =>
    version === 1 ? { status, body: view(certificate) } : result(view(certificate), status);
  const item = (handle: (certificate: Certificate, call: Call) => Reply) => onItem(all, NOT_THERE, handle);
  const change = (certificate: Certificate, fields: Partial<Fields>) => {
    all.update(certificate.id, fields);
    return ok(view(certificate));
  };
  const list = (call: Call) => {
    const { name } = call.query;
    const items = [...all].filter((certificate) => name === undefined || certificate.name === name);
    return call.version === 1 ? ok(items.map(view)) : namedReply(call, name, { items, view }, settings);
  };
  const create = (call: Call) =>
    withBody(body, call.body, (fields) => single(all.add({ ...fields, valid_until: null }), call, 201));
  const overwrite = (certificate: Certificate, call: Call) =>
    withBody(body, call.body, (fields) => change(certificate, fields));
  const update = (certificate: Certificate, call: Call) =>
    withPatch<Fields>(body, call.body, (fields) => incomplete(fields) ?? change(certificate, fields));
  const remove = ({ id }: Certificate) => {
    const inUse = [...account.domains].some(({ digital_certificate_id: used }) => used === id);
    if (inUse) return codedError(409, 'The certificate is in use.', 'certificate_in_use');
    all.remove(id);
    return NO_CONTENT;
  };
  return {
    versions: [1, 3],
    refusals: 'coded',
    read: 'View Security Settings',
    write: 'Edit Security Settings',
    operations: [
      ['get', '/', list],
      ['post', '/', create],
      ['get', '/:id', item((certificate, call) => single(certificate, call, 200))],
      ['put', '/:id', item(overwrite)],
      ['patch', '/:id', item(update)],
      ['delete', '/:id', item(remove)],
    ],
  };
}

/** PEM text; line breaks may come as two characters, a backslash and an n. */
function pem(kind: string) {
  const begin = `-----BEGIN ${kind}-----`;
  const end = `-----END ${kind}-----`;
  const framed = (text: string) => {
    const trimmed = text.replaceAll('\\n', '\n').trim();
    return trimmed.startsWith(begin) && trimmed.endsWith(end);
  };
  return z.string().refine(framed, `Expected PEM text from ${begin} to ${end}.`);
}

/** An update names at least one field, and a certificate never without its key. */
function incomplete(fields: Partial<Fields>): Reply | undefined {
  const { certificate, private_key: key } = fields;
  if (Object.keys(fields).length === 0) return detail(400, 'Send name, or certificate and private_key.');
  if ((certificate === undefined) === (key === undefined)) return undefined;
  const missing = certificate === undefined ? 'certificate' : 'private_key';
  return fieldErrors({ [missing]: ['certificate and private_key must be sent together.'] });
}

function viewOf({ id, name, valid_until: until }: Certificate, laterFields: 'absent' | 'present') {
  if (laterFields === 'absent') return { id, name };
  const validity =
    until === null ? null : new Date(until).toISOString().replace('T', ' ').replace('.000Z', '-00:00');
  const certificate = { certificate_type: 'edge_certificate', status: 'active', managed: false };
  return { id, name, subject_name: [name], issuer: 'Example CA', validity, ...certificate };
}
