// What a job costs, in requests to the service: each is paid for, and each takes its time.
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { type Attempt, type JsonObject, type Protocol, type Publisher, START } from 'waybill'
import type { World } from '../../src/world/world.ts'
import { fastWorld, passed } from '../fixtures/fast-world.ts'
import { requestOf } from '../fixtures/live-ledger.ts'
import { within } from '../fixtures/within.ts'
import { dropTables, freshPrefix, testTables } from './azurite.ts'
import { type CountedLedger, openCounted, tally } from './counted-ledger.ts'

const PULLED: Protocol = {
  protocol_id: 'pulled.v1',
  request_type: 'PULLED',
  steps: [{ step_id: 'only', step_type: 'WORK', service: 'worker', delivery: 'pull' }],
}
const PUSHED: Protocol = {
  protocol_id: 'pushed.v1',
  request_type: 'PUSHED',
  steps: [{ step_id: 'only', step_type: 'WORK', service: 'worker', delivery: 'push' }],
}

/** A minute of doing nothing need not take a minute. */
const SPEED = 60
const LONGEST_MS = 20_000

const SUCCESS = { status: 'SUCCEEDED', output: { pages: 3 } } as const

/** By whom each of the steps is done. */
interface Roles {
  readonly submitter: CountedLedger
  readonly worker: CountedLedger
  readonly dispatcher: CountedLedger
}

const opened: CountedLedger[] = []
const told: string[] = []
let prefix: string

afterEach(async () => {
  for (const { ledger } of opened.splice(0)) await ledger.close()
  await dropTables(prefix)
})

afterAll(() => console.log(['Requests to the service', ...told].join('\n')))

async function open(world?: World): Promise<CountedLedger> {
  const one = await openCounted((await testTables()).address(prefix), [PULLED, PUSHED], world)
  opened.push(one)
  return one
}

async function rolesOf(processes: number): Promise<Roles> {
  prefix = freshPrefix()
  const submitter = await open()
  const dispatcher = processes > 1 ? await open() : submitter
  const worker = processes > 2 ? await open() : dispatcher
  return { submitter, dispatcher, worker }
}

async function pulledJob({ submitter, worker }: Roles): Promise<void> {
  const { job_id } = await submitter.during('submit', () =>
    submitter.ledger.jobs.submit(requestOf({ request_type: 'PULLED' })),
  )
  const [work] = await worker.during('claim', () => worker.ledger.jobs.claim({ queues: ['worker'] }))
  expect(work?.job.job_id).toBe(job_id)
  if (work === undefined) return
  await worker.during('result', () => worker.ledger.jobs.result(work.step, SUCCESS))
}

async function pushedJob({ submitter, worker, dispatcher }: Roles): Promise<void> {
  await submitter.during('submit', () => submitter.ledger.jobs.submit(requestOf({ request_type: 'PUSHED' })))
  const [row] = await dispatcher.during('take', () =>
    dispatcher.ledger.jobs.takeDirectives({ services: ['worker'] }),
  )
  if (row === undefined) return expect.unreachable('there is a directive')
  await dispatcher.during('sent', () => dispatcher.ledger.jobs.sent(row))
  const attempt = attemptOf(row.payload)
  await worker.during('ack', () => worker.ledger.jobs.ack(attempt))
  await worker.during('result', () => worker.ledger.jobs.result(attempt, SUCCESS))
}

const attemptOf = ({ tenant_id, jobId, stepId, attempt_no, lease_id }: JsonObject) =>
  ({ tenant_id, job_id: jobId, step_id: stepId, attempt_no, lease_id }) as Attempt

const all = ({ submitter, worker, dispatcher }: Roles) =>
  [...new Set([submitter, worker, dispatcher])].flatMap(({ requests }) => requests)

const forgetAll = (roles: Roles) => {
  for (const one of Object.values(roles) as readonly CountedLedger[]) one.forget()
}

describe.each([
  { where: 'in one process', processes: 1, most: { pulled: 14, pushed: 22 } },
  { where: 'submitted by a process of its own', processes: 2, most: { pulled: 14, pushed: 22 } },
  // Whoever goes on with what another process did reads it first, and clears up after it.
  { where: 'with three processes', processes: 3, most: { pulled: 14, pushed: 25 } },
])('a job of one step, $where', ({ where, processes, most }) => {
  it.each([
    { how: 'pulled', job: pulledJob, most: most.pulled },
    { how: 'pushed', job: pushedJob, most: most.pushed },
  ])('takes at most $most requests when it is $how', async ({ how, job, most }) => {
    const roles = await rolesOf(processes)
    // The first ones find out what the others know.
    await job(roles)
    await job(roles)
    forgetAll(roles)
    await job(roles)
    const requests = all(roles)
    told.push(`\n${how}, ${where}: ${requests.length}`, ...tally(requests))
    expect(requests.length).toBeLessThanOrEqual(most)
    expect((await roles.submitter.ledger.counts('job')).SUCCEEDED).toBe(3)
  })
})

/** A service takes longer to answer than the ledger to know that its directive was sent. */
async function sent({ dispatcher }: Roles, job_id: string): Promise<void> {
  for await (const record of dispatcher.ledger.events({ after: START })) {
    if (record.kind === 'outbox' && record.job_id === job_id && record.new_state === 'SENT') return
  }
  throw new Error('The ledger was closed before it was sent')
}

describe('a job that a service waits to do', () => {
  const JOBS = 5

  it.each([
    { how: 'pulled', isOne: true, most: 14 },
    { how: 'pushed', isOne: true, most: 22 },
    { how: 'pulled', isOne: false, most: null },
    { how: 'pushed', isOne: false, most: null },
  ])('is $how, by one process: $isOne', async ({ how, isOne, most }) => {
    const roles = await rolesOf(isOne ? 1 : 3)
    const { submitter, worker, dispatcher } = roles
    if (how === 'pulled') worker.ledger.work({ worker: async () => SUCCESS.output })
    const directives: JsonObject[] = []
    const publish: Publisher['publish'] = async ({ directive }) => void directives.push(directive)
    if (how === 'pushed') dispatcher.ledger.dispatch({ worker: { publish } })
    // Who waits for something pays for that, and not the job.
    const one = async () => {
      const job = await submitter.ledger.jobs.submit(requestOf({ request_type: how.toUpperCase() }))
      if (how === 'pushed') {
        await dispatcher.during('waiting', () => sent(roles, job.job_id))
        const attempt = attemptOf(directives.at(-1) as JsonObject)
        await worker.ledger.jobs.ack(attempt)
        await worker.ledger.jobs.result(attempt, SUCCESS)
      }
      await submitter.during('waiting', () => job.result())
    }
    await one()
    forgetAll(roles)
    const after: number[] = []
    const ownOf = () => all(roles).filter(({ during }) => during === 'transact' || during === 'sweep ready')
    for (let n = 0; n < JOBS; n++) {
      await one()
      after.push(ownOf().length)
    }
    const requests = all(roles)
    const own = ownOf()
    // Now and then one asks besides who else is there.
    const usual = after.map((count, n) => count - (after[n - 1] ?? 0)).sort((a, b) => a - b)[JOBS >> 1]
    const title = `${JOBS} jobs ${how} by services in ${isOne ? 'one process' : 'processes of their own'}`
    told.push(`\n${title}: ${own.length / JOBS} each, and ${requests.length - own.length} besides`)
    told.push(...tally(requests))
    if (most !== null) expect(usual).toBeLessThanOrEqual(most)
    expect((await submitter.ledger.counts('job')).SUCCEEDED).toBe(JOBS + 1)
  })
})

it('a document that moves takes at most 4', async () => {
  const { submitter } = await rolesOf(1)
  await submitter.ledger.documents.updateState('doc:1', 'fetching')
  for (const state of ['fetched', 'parsing'] as const) {
    submitter.forget()
    await submitter.during('move', () => submitter.ledger.documents.updateState('doc:1', state))
    expect(submitter.requests.length).toBeLessThanOrEqual(4)
  }
  told.push('\na document that moves', ...tally(submitter.requests))
})

describe('a process that has nothing to do', () => {
  it.each([
    {
      what: 'a worker',
      most: 90,
      start: ({ ledger }: CountedLedger) => ledger.work({ worker: async () => 1 }),
    },
    { what: 'nobody', most: 0, start: () => null },
  ])('asks about once a second with $what', async ({ what, most, start }) => {
    prefix = freshPrefix()
    const world = fastWorld(SPEED)
    const idle = await open(world)
    // Somebody else has written, so there is a lane to be looked at.
    const other = await open()
    await pulledJob({ submitter: other, worker: other, dispatcher: other })
    start(idle)
    await within(LONGEST_MS, 'settling', passed(world, 30_000))
    idle.forget()
    await within(LONGEST_MS, 'a minute', passed(world, 60_000))
    told.push(`\na minute of an idle process with ${what}: ${idle.requests.length}`, ...tally(idle.requests))
    expect(idle.requests.length).toBeLessThanOrEqual(most)
  })
})
