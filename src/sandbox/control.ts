import { json, Router } from 'express';
import { z } from 'zod';
import { faultsSchema } from './faults.ts';
import { INCIDENT_KINDS, type Incident } from './incidents.ts';
import { type Platform, unitsOf } from './platform.ts';
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

const faultPatch = z.strictObject(
  Object.fromEntries(Object.entries(faultsSchema.shape).map(([name, fault]) => [name, fault.nullable()])),
);

/**
 * The sandbox's own small API under `/_sandbox`, for whoever rehearses: faults, incidents, settings, what was
 * asked, and the truth. It needs no token and has no limits, since the sandbox listens for its owner only.
 */
export function controlRouter(platform: Platform): Router {
  const { faults, requests, settings, traffic } = platform;
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
  router.get('/requests', (_req, res) => {
    const { byMethod, byStatus, recent, total } = requests;
    res.json({
      total,
      by_status: Object.fromEntries(byStatus),
      by_method: Object.fromEntries(byMethod),
      recent,
    });
  });
  return router;
}
