import { json, Router } from 'express';
import { z } from 'zod';
import { type WafRuleset, wafBody } from './account/items.ts';
import { settingsSchema } from './account/settings.ts';
import { edgeStatus } from './api/workloads.ts';
import { faultsSchema } from './faults/faults.ts';
import { camelKeys, snakeKeys, timestampOption } from './formats.ts';
import type { Platform, RequestLog } from './http/platform.ts';
import { ADDED_KINDS, CHANGED_KINDS } from './traffic/incidents.ts';
import { truthOf } from './traffic/series.ts';

/** Schema of the query of `GET /_sandbox/truth`; the width is in ms. */
const truthQuery = z.strictObject({
  api: z.enum(['analytics', 'metrics']),
  product: z.coerce.number().int(),
  configuration: z.union([z.literal('product'), z.coerce.number().int()]),
  metric: z.string(),
  from: timestampOption,
  to: timestampOption,
  width: z.coerce.number().int().min(60_000).multipleOf(60_000).optional(),
});

const happening = { configuration: z.int(), from: timestampOption, to: timestampOption };

/** Schema of the body of `POST /_sandbox/events`. */
const incidentBody = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.enum(ADDED_KINDS),
      ...happening,
      per_minute: z.number('expected how many requests a minute it adds').positive(),
    }),
    z
      .strictObject({ kind: z.enum(CHANGED_KINDS), ...happening })
      .transform((incident) => ({ ...incident, per_minute: 0 })),
  ])
  .refine(({ from, to }) => from < to, { path: ['to'], error: 'expected a time after `from`' });

/** Schema of the body of `PATCH /_sandbox/faults`: null disables a fault. */
const faultPatch = z.strictObject(
  Object.fromEntries(Object.entries(faultsSchema.shape).map(([name, fault]) => [name, fault.nullable()])),
);

/**
 * Returns the router of the sandbox's control API under `/_sandbox`. It covers faults, settings, incidents, final values, the
 * request log, and changes that the platform's API lacks. It needs no token and has no limits, because the sandbox listens only for
 * its owner.
 */
export function controlRouter(platform: Platform): Router {
  const { account, faults, requests, settings, traffic } = platform;
  const router = Router();
  router.use(json());
  router
    .route('/faults')
    .get((_req, res) => void res.json(faults.current))
    .patch((req, res) => {
      faults.patch(faultPatch.parse(req.body));
      res.json(faults.current);
    })
    .delete((_req, res) => {
      faults.clear();
      res.json(faults.current);
    });
  router
    .route('/settings')
    .get((_req, res) => void res.json(snakeKeys(settings)))
    .patch((req, res) => {
      Object.assign(settings, settingsSchema.parse({ ...settings, ...camelKeys(req.body ?? {}) }));
      res.json(snakeKeys(settings));
    });
  router
    .route('/events')
    .get((_req, res) => void res.json(traffic.incidents))
    .post((req, res) => {
      const incident = incidentBody.parse(req.body);
      traffic.inject(incident);
      res.status(201).json(incident);
    });
  router.get('/truth', (req, res) => void res.json(truthOf(traffic, truthQuery.parse(req.query), settings)));
  router.patch('/waf/rulesets/:id', (req, res) => {
    // The API has no write for rule sets, so tests and rehearsals use this.
    const changed = account.wafRulesets.update(
      Number(req.params.id),
      wafBody.partial().parse(req.body) as Partial<WafRuleset>,
    );
    if (changed === undefined) throw new RangeError(`no WAF rule set ${req.params.id}`);
    res.json(changed);
  });
  router.get('/edge', (req, res) => {
    const { host } = z.strictObject({ host: z.string().min(1) }).parse(req.query);
    const { propagationMs } = settings;
    res.json({ host, status: edgeStatus(account.workloads, host, { now: platform.now(), propagationMs }) });
  });
  router
    .route('/requests')
    .get((_req, res) => void res.json(summary(requests)))
    .delete((_req, res) => {
      requests.clear();
      res.json(summary(requests));
    });
  return router;
}

function summary({ byMethod, byStatus, recent, total }: RequestLog) {
  return { total, by_status: Object.fromEntries(byStatus), by_method: Object.fromEntries(byMethod), recent };
}
