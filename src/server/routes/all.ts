import type { Route } from '../route.ts'
import { adminRoutes } from './admin.ts'
import { auditRoutes } from './audit.ts'
import { callbackRoutes } from './callbacks.ts'
import { commandRoutes } from './commands.ts'
import { documentRoutes } from './documents.ts'
import { eventRoutes } from './events.ts'
import { fileRoutes } from './files.ts'
import { groupRoutes } from './groups.ts'
import { healthRoutes } from './health.ts'
import { jobActionRoutes } from './job-actions.ts'
import { jobViewRoutes } from './job-views.ts'
import { jobRoutes } from './jobs.ts'
import { localRoutes } from './local.ts'
import { logRoutes } from './logs.ts'
import { manyJobsRoutes } from './many-jobs.ts'
import { metricsRoutes } from './metrics.ts'
import { openApiRoute } from './openapi.ts'
import { overviewRoutes } from './overview.ts'
import { queueRoutes } from './queues.ts'
import { radarRoutes } from './radar.ts'
import { scheduleRoutes } from './schedules.ts'
import { sessionRoutes } from './session.ts'
import { stageRoutes } from './stages.ts'
import { statsRoutes } from './stats.ts'
import { tokenRoutes } from './tokens.ts'
import { viewRoutes } from './views.ts'
import { workRoutes } from './work.ts'

const described: readonly Route[] = [
  ...commandRoutes,
  ...callbackRoutes,
  ...workRoutes,
  ...jobRoutes,
  ...jobViewRoutes,
  ...logRoutes,
  ...jobActionRoutes,
  ...manyJobsRoutes,
  ...documentRoutes,
  ...groupRoutes,
  ...viewRoutes,
  ...queueRoutes,
  ...scheduleRoutes,
  ...stageRoutes,
  ...auditRoutes,
  ...eventRoutes,
  ...statsRoutes,
  ...overviewRoutes,
  ...radarRoutes,
  ...fileRoutes,
  ...sessionRoutes,
  ...tokenRoutes,
  ...adminRoutes,
  ...localRoutes,
  ...healthRoutes,
  ...metricsRoutes,
]

/** Everything that can be asked over HTTP: a file for each resource, and a place in this list. */
export const ROUTES: readonly Route[] = [...described, openApiRoute(described)]
