// A request for every route that is served: tests that go through all of them begin with these.
import type { Route } from '../../src/server/route.ts'
import { ROUTES } from '../../src/server/routes/all.ts'
import type { Asked } from './http-client.ts'
import { envelope } from './http-ledger.ts'
import { attemptOf, type Possessions, STEERED } from './populate.ts'

export interface Example {
  readonly params?: { readonly [name: string]: string }
  readonly query?: { readonly [name: string]: string }
  readonly body?: unknown
}

type ExampleOf = (own: Possessions) => Example

const nothing: ExampleOf = () => ({})
const forDocument: ExampleOf = ({ doc }) => ({ params: { doc_id: doc } })
const forRun: ExampleOf = ({ run }) => ({ params: { run_id: run } })
const forWorkstream: ExampleOf = ({ workstream }) => ({ params: { workstream_id: workstream } })
const forSchedule: ExampleOf = ({ schedule }) => ({ params: { schedule_id: schedule } })
const forQueue: ExampleOf = () => ({ params: { queue: STEERED } })
const forToken: ExampleOf = () => ({ params: { token_id: '0'.repeat(12) } })
const forStaged =
  (body: object = {}): ExampleOf =>
  ({ staged }) => ({ params: { job_id: staged }, body })

/** With a body, or another one. */
function saying(example: ExampleOf, body: unknown): ExampleOf {
  return (own) => ({ ...example(own), body })
}

function forJob(body?: unknown): ExampleOf {
  return ({ job }) => ({ params: { job_id: job }, ...(body === undefined ? null : { body }) })
}

function reporting(more: object = {}): ExampleOf {
  return ({ work }) => {
    const { tenant_id, job_id: jobId, step_id: stepId, attempt_no, lease_id } = attemptOf(work)
    return { body: { tenant_id, jobId, stepId, attempt_no, lease_id, ...more } }
  }
}

const SCHEDULED = {
  cron: '0 4 * * *',
  request: { request_type: 'WORK', input_ref: 'in', output_ref: 'out', payload: {}, schema_version: 'v1' },
}

const TOOL_JOB = {
  job_id: 'tool-1',
  workstream_id: 'ws',
  tool: 'command',
  command: { exe: 'true', args: [] },
  env: {},
  paths: { repo_root: '/tmp', working_dir: '.', log_file: 'l.log', error_report: 'e.json' },
}

const OWN_PROTOCOL = {
  protocol_id: 'own.v1',
  request_type: 'OWN',
  steps: [{ step_id: 'own', step_type: 'OWN', service: 'own', delivery: 'pull' }],
}

const EXAMPLES: { readonly [operation: string]: ExampleOf } = {
  submitJob: ({ tenant_id }) => ({ body: envelope({ tenant_id, payload: { language_hint: 'example' } }) }),
  submitJobs: ({ tenant_id }) => ({
    body: { commands: [envelope({ tenant_id, payload: { language_hint: 'several' } })] },
  }),
  listProtocols: nothing,
  reportAck: reporting(),
  reportHeartbeat: reporting(),
  reportResult: reporting({ status: 'SUCCEEDED', output: { n: 1 } }),
  claimWork: () => ({ body: { queues: ['two'] } }),
  listJobs: nothing,
  getJob: forJob(),
  listSteps: forJob(),
  listJobEvents: forJob(),
  whyJob: forJob(),
  listJobActions: forJob(),
  listRelatedJobs: forJob(),
  listAttempts: forJob(),
  getLog: forJob(),
  getResult: ({ doneJob }) => ({ params: { job_id: doneJob } }),
  cancelJob: forJob(),
  runAgain: ({ doneJob }) => ({ params: { job_id: doneJob }, body: {} }),
  expediteJob: forJob({ priority: 'high' }),
  annotateJob: forJob({ metadata: { note: 'x' } }),
  cancelJobs: () => ({ body: { filter: { run_id: 'no run' } } }),
  runJobsAgain: () => ({ body: { filter: { run_id: 'no run' } } }),
  followEvents: nothing,
  listDocuments: nothing,
  getDocument: forDocument,
  listDocumentHistory: forDocument,
  moveDocument: saying(forDocument, { state: 'fetched' }),
  moveDocuments: ({ doc }) => ({ body: { updates: [{ doc_id: doc, state: 'fetched' }] } }),
  listStuck: () => ({ query: { hours: '0' } }),
  listRuns: nothing,
  createRun: () => ({ body: { metadata: { note: 'x' } } }),
  cancelRun: forRun,
  getRun: forRun,
  moveRun: saying(forRun, { state: 'running' }),
  sealRun: forRun,
  annotateRun: saying(forRun, { metadata: { note: 'x' } }),
  listWorkstreams: nothing,
  createWorkstream: ({ run }) => ({ body: { run_id: run } }),
  getWorkstream: forWorkstream,
  moveWorkstream: saying(forWorkstream, { state: 'ready' }),
  sealWorkstream: forWorkstream,
  annotateWorkstream: saying(forWorkstream, { metadata: { note: 'x' } }),
  getBoard: nothing,
  search: () => ({ query: { q: 'RUNNING' } }),
  listQueues: nothing,
  getQueue: forQueue,
  pauseQueue: forQueue,
  resumeQueue: forQueue,
  limitQueue: saying(forQueue, { concurrency: 5 }),
  listSchedules: nothing,
  getSchedule: forSchedule,
  putSchedule: saying(forSchedule, SCHEDULED),
  removeSchedule: forSchedule,
  pauseSchedule: forSchedule,
  resumeSchedule: forSchedule,
  fetchEntry: ({ staged }) => ({ params: { job_id: staged } }),
  prepareRun: forStaged({ pipeline_name: 'pdf', pipeline_version: 'v2' }),
  stageStarted: forStaged({ stage: 'chunk' }),
  recordRetry: forStaged({ stage: 'chunk', error: 'once more' }),
  stageSucceeded: forStaged({ stage: 'chunk', output_count: 5 }),
  stageFailed: forStaged({ stage: 'chunk', error: 'it broke' }),
  completeRun: forStaged({ metadata: { note: 'x' } }),
  recordJobAttempt: forStaged(),
  listAudit: nothing,
  countAudit: nothing,
  listDurations: nothing,
  getStats: nothing,
  getOverview: nothing,
  getActivity: nothing,
  listTenants: nothing,
  getRadar: nothing,
  listFiles: nothing,
  getLastChange: () => ({ query: { file: 'src/a.ts' } }),
  listMachines: nothing,
  openSession: () => ({ body: { code: 'no code that was ever given out' } }),
  getSession: nothing,
  closeSession: nothing,
  makeLink: () => ({ body: {} }),
  listTokens: nothing,
  getToken: forToken,
  mintToken: () => ({ body: { name: 'somebody', role: 'viewer', tenants: ['acme'] } }),
  revokeToken: forToken,
  submitWithProtocol: ({ tenant_id }) => ({
    body: { protocol: OWN_PROTOCOL, request: { tenant_id, input_ref: 'in', output_ref: 'out', payload: {} } },
  }),
  queueToolJob: () => ({ body: { job: TOOL_JOB } }),
  forceDocument: saying(forDocument, { state: 'indexed' }),
  compact: nothing,
  checkLedger: nothing,
  isAlive: nothing,
  isReady: nothing,
  getMetrics: nothing,
  getOpenApi: nothing,
}

/** Routes that somebody added without saying here what is asked of them. */
export const WITHOUT_EXAMPLE = ROUTES.filter(({ operation }) => EXAMPLES[operation] === undefined)

export const KNOWN_ROUTES: readonly Route[] = ROUTES.filter((route) => !WITHOUT_EXAMPLE.includes(route))

export function exampleOf({ operation }: Route, own: Possessions): Example {
  return (EXAMPLES[operation] as ExampleOf)(own)
}

/** Its answer goes on. */
export function isStream({ operation }: Route): boolean {
  return operation === 'followEvents'
}

/** Makes what is not there. */
export function isMaker({ operation }: Route): boolean {
  return operation === 'putSchedule' || operation === 'forceDocument'
}

/** Changes something, or would. */
export function isWrite({ method }: Route): boolean {
  return method !== 'GET'
}

export function pathOf({ path }: Route, params: Example['params'] = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? 'x'))
}

/** What is sent for it; a body for every route that changes something. */
export function askedOf(route: Route, { query, body }: Example): Asked {
  return {
    ...(query === undefined ? null : { query }),
    ...(body === undefined ? null : { body }),
    ...(body === undefined && isWrite(route) ? { body: {} } : null),
  }
}
