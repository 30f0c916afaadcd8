import type { Route } from '../route.ts'
import { adminRoutes } from './admin.ts'
import { auditRoutes } from './audit.ts'
import { callbackRoutes } from './callbacks.ts'
import { commandRoutes } from './commands.ts'
import { documentRoutes } from './documents.ts'
import { groupRoutes } from './groups.ts'
import { healthRoutes } from './health.ts'
import { jobActionRoutes } from './job-actions.ts'
import { jobRoutes } from './jobs.ts'
import { localRoutes } from './local.ts'
import { metricsRoutes } from './metrics.ts'
import { openApiRoute } from './openapi.ts'
import { queueRoutes } from './queues.ts'
import { scheduleRoutes } from './schedules.ts'
import { sessionRoutes } from './session.ts'
import { stageRoutes } from './stages.ts'
import { statsRoutes } from './stats.ts'
import { tokenRoutes } from './tokens.ts'
import { workRoutes } from './work.ts'

const described: readonly Route[] = [
  ...commandRoutes,
  ...callbackRoutes,
  ...workRoutes,
  ...jobRoutes,
  ...jobActionRoutes,
  ...documentRoutes,
  ...groupRoutes,
  ...queueRoutes,
  ...scheduleRoutes,
  ...stageRoutes,
  ...auditRoutes,
  ...statsRoutes,
  ...sessionRoutes,
  ...tokenRoutes,
  ...adminRoutes,
  ...localRoutes,
  ...healthRoutes,
  ...metricsRoutes,
]

/** Everything that can be asked over HTTP: a file for each resource, and a place in this list. */
export const ROUTES: readonly Route[] = [...described, openApiRoute(described)]
