// Which screen is at which address. Screens are loaded when somebody goes there.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router'
import { Loading } from '../parts/answer.tsx'
import { Notice } from '../parts/notice.tsx'
import { FailedScreen } from './failed-screen.tsx'
import { loadPart } from './load-part.ts'
import { LoginScreen } from './login.tsx'
import { Shell } from './shell.tsx'
import { parseSearch, stringifySearch, type UrlState } from './url-state.ts'

const root = createRootRoute()

const login = createRoute({ getParentRoute: () => root, path: '/login', component: LoginScreen })

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  validateSearch: (search: UrlState) => search,
  // Whose records are shown stays the same wherever one goes.
  search: { middlewares: [retainSearchParams<UrlState>(['tenant'])] },
})

function screen<Path extends string>(
  path: Path,
  load: Parameters<typeof lazyRouteComponent>[0],
  name: string,
) {
  return createRoute({
    getParentRoute: () => shell,
    path,
    component: lazyRouteComponent(() => loadPart(load as () => Promise<Record<string, never>>), name),
  })
}

const screens = [
  screen('/', () => import('../screens/dashboard/dashboard.tsx'), 'Dashboard'),
  screen('/radar', () => import('../screens/radar/radar.tsx'), 'RadarScreen'),
  screen('/jobs', () => import('../screens/jobs/jobs.tsx'), 'JobsScreen'),
  screen('/jobs/$tenant/$id', () => import('../screens/job/job.tsx'), 'JobScreen'),
  screen('/documents', () => import('../screens/documents/documents.tsx'), 'DocumentsScreen'),
  screen('/documents/$tenant/$id', () => import('../screens/document/document.tsx'), 'DocumentScreen'),
  screen('/logs', () => import('../screens/logs/logs.tsx'), 'LogsScreen'),
  screen('/workstreams', () => import('../screens/workstreams/workstreams.tsx'), 'WorkstreamsScreen'),
  screen(
    '/workstreams/$tenant/$id',
    () => import('../screens/workstreams/workstream.tsx'),
    'WorkstreamScreen',
  ),
  screen('/runs', () => import('../screens/runs/runs.tsx'), 'RunsScreen'),
  screen('/runs/$tenant/$id', () => import('../screens/runs/run.tsx'), 'RunScreen'),
  screen('/queues', () => import('../screens/queues/queues.tsx'), 'QueuesScreen'),
  screen('/settings', () => import('../screens/settings/settings.tsx'), 'SettingsScreen'),
]

export const router = createRouter({
  routeTree: root.addChildren([login, shell.addChildren(screens)]),
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultPendingComponent: Loading,
  defaultErrorComponent: ({ error }) => <FailedScreen error={error} />,
  defaultNotFoundComponent: () => (
    <Notice kind="missing" title="There is no such screen">
      Choose one from the list at the side.
    </Notice>
  ),
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
