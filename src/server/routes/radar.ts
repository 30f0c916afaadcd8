import { z } from 'zod'
import { RADAR_BY } from '../../core/radar/radar.ts'
import { radarSchema } from '../openapi/records/radar-schemas.ts'
import { tenantQuery, wholeNumber } from '../request/query.ts'
import { ok, type Route, route } from '../route.ts'

const DEFAULT_HOURS = 24
const MOST_HOURS = 7 * 24

export const radarRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/radar',
    operation: 'getRadar',
    summary: 'Where open jobs stand, stage by stage, which are stuck, and how those fared that ended lately',
    about:
      'A job is stuck when it stands at a stage for longer than 99 of 100 attempts of its service took, or for an hour ' +
      'while there were fewer than 20 of them. The answer is kept for a while.',
    needs: 'read',
    acrossTenants: true,
    query: z.strictObject({
      ...tenantQuery,
      by: z.enum(RADAR_BY).optional().describe('What has a row of its own; `pipeline` unless given'),
      hours: wholeNumber(1, MOST_HOURS)
        .optional()
        .describe(`Jobs that ended within so many hours are counted; ${DEFAULT_HOURS} unless given`),
    }),
    answers: { 200: { about: 'A row for each pipeline or workstream', schema: radarSchema } },
    async handle({ server: { looks }, tenant_id, query: { by = 'pipeline', hours = DEFAULT_HOURS } }) {
      return ok(await looks.radar({ tenant_id, by, hours }))
    },
  }),
]
