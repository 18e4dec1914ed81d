import { json, Router } from 'express';
import { z } from 'zod';
import { edgeStatus } from './edge.ts';
import { WAF_FAMILIES, type WafRuleset } from './estate.ts';
import { faultsSchema } from './faults.ts';
import { INCIDENT_KINDS, type Incident } from './incidents.ts';
import { type Platform, unitsOf } from './platform.ts';
import type { RequestLog } from './request-log.ts';
import { settingsSchema } from './settings.ts';
import { truthOf } from './truth.ts';

/** A moment as ms since the epoch or as an ISO date. */
const moment = z.union([
  z.coerce.number(),
  z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
]);

const truthQuery = z.strictObject({
  api: z.enum(['analytics', 'metrics']),
  product: z.coerce.number().int(),
  configuration: z.union([z.literal('product'), z.coerce.number().int()]),
  metric: z.string(),
  from: moment,
  to: moment,
  width: z.coerce.number().int().min(60_000).multipleOf(60_000).optional(),
});

const incident = z.strictObject({
  kind: z.enum(INCIDENT_KINDS),
  configuration: z.int(),
  from: moment,
  to: moment,
  per_minute: z.number().min(0).default(0),
});

const sensitivity = z.enum(['lowest', 'low', 'medium', 'high', 'highest']);

/** The API shows no write of WAF rule sets, so this is how a rehearsal changes one. */
const wafPatch = z
  .strictObject({
    name: z.string().min(1),
    mode: z.enum(['blocking', 'counting']),
    active: z.boolean(),
    whitelist: z.string(),
    ...Object.fromEntries(WAF_FAMILIES.map((family) => [family, z.boolean()])),
    ...Object.fromEntries(WAF_FAMILIES.map((family) => [`${family}_sensitivity`, sensitivity])),
  })
  .partial();

const faultPatch = z.strictObject(
  Object.fromEntries(Object.entries(faultsSchema.shape).map(([name, fault]) => [name, fault.nullable()])),
);

/**
 * The sandbox's own small API under `/_sandbox`, for whoever rehearses: faults, incidents, settings, what was
 * asked, and the truth. It needs no token and has no limits, since the sandbox listens for its owner only.
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
    .get((_req, res) => void res.json(settings))
    .patch((req, res) => void res.json(Object.assign(settings, settingsSchema.partial().parse(req.body))));
  router
    .route('/events')
    .get((_req, res) => void res.json(traffic.incidents))
    .post((req, res) => {
      const event: Incident = incident.parse(req.body);
      traffic.inject(event);
      res.status(201).json(event);
    });
  router.get('/truth', (req, res) => {
    const utcOffset = settings.utcOffsetMinutes * 60_000;
    res.json(truthOf(traffic, truthQuery.parse(req.query), { units: unitsOf(settings), utcOffset }));
  });
  router.patch('/waf/rulesets/:id', (req, res) => {
    const change = wafPatch.parse(req.body);
    const changed = account.wafRulesets.update(Number(req.params.id), change as Partial<WafRuleset>);
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
