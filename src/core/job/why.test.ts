import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed, submitOf, TENANT } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import type { ReadyHead, WorkView } from '../pick.ts'
import { EVERYBODY, type QueueRecord } from '../queue/record.ts'
import type { Obstacle } from './commands.ts'
import { awaitedJobs } from './dependencies.ts'
import type { JobRecord } from './record.ts'
import { whyJob } from './why.ts'
import type { Cause, Does } from './why-cause.ts'
import { type Place, placeOf } from './why-not-taken.ts'

/** What `why` says of a job, with what a ledger would find out for it. */
function why(kernel: KernelLedger, job_id = 'j1', others: readonly string[] = []) {
  const aggregate = kernel.get('job', TENANT, job_id)
  if (aggregate === null) throw new Error('the job is there')
  const { job, steps } = aggregate
  const queueName = steps.find(({ completed_at }) => completed_at === null)?.queue
  const queue = (name: string) => kernel.get('queue', EVERYBODY, name) as QueueRecord | null
  const heads = [job_id, ...others]
    .map((id) => kernel.job(id))
    .filter((one): one is JobRecord & { ready: object } => one.ready !== null)
    .map((one): ReadyHead => ({ key: { kind: 'job', tenant_id: TENANT, id: one.job_id }, ready: one.ready }))
  const view: WorkView = { ...kernel.slots.viewAt(kernel.now), queue }
  return whyJob(aggregate, {
    now: kernel.now,
    dependencies: new Map(awaitedJobs(job).map((id) => [id, kernel.get('job', TENANT, id)?.job ?? null])),
    queue: queueName === undefined ? null : queue(queueName),
    place: job.ready === null ? null : placeOf(job, heads, view),
  })
}

/** What a button is told to do is what the command line would do. */
function commandOf(does: Does): string {
  if (does.verb === 'resume_queue') return `waybill queue resume ${does.queue}`
  const on = `${does.job_id} --tenant ${does.tenant_id}`
  if (does.verb === 'look') return `waybill why ${on}`
  const ignoring = does.verb === 'expedite' && does.ignore !== null ? ` --ignore ${does.ignore}` : ''
  const hurried = does.verb === 'expedite' && does.priority !== null ? ` --priority ${does.priority}` : ''
  return `waybill jobs ${does.verb} ${on}${ignoring}${hurried}`
}

/** Does what the answer says would help, as the command line does. */
function follow(kernel: KernelLedger, { unblock }: Cause): void {
  if (unblock?.does != null) expect(commandOf(unblock.does)).toBe(unblock.command)
  const words = unblock?.command.split(' ') ?? []
  const [, group, verb, name = ''] = words
  const by = { actor: 'operator', reason: null } as const
  const option = (flag: string) => (words.includes(flag) ? words[words.indexOf(flag) + 1] : undefined)
  if (group === 'queue') {
    const concurrency = option('--concurrency')
    kernel.run({
      type: 'steerQueue',
      tenant_id: EVERYBODY,
      queue: name,
      ...(verb === 'resume' ? { state: 'running' } : null),
      ...(concurrency === undefined ? null : { concurrency: Number(concurrency) }),
      ...(option('--rate') === 'none' ? { rate: null } : null),
      ...by,
    })
  } else if (verb === 'expedite') {
    const ignore = words.flatMap((word, i) => (word === '--ignore' ? [words[i + 1] as Obstacle] : []))
    const priority = option('--priority') === 'critical' ? 0 : null
    kernel.run({ type: 'expediteJob', tenant_id: TENANT, job_id: name, priority, ignore, ...by })
  } else if (verb === 'cancel') kernel.cancel(name)
  else if (group === 'worker') kernel.pass(0)
  else throw new Error(`nobody knows how to ${unblock?.command}`)
}

const LIMITED = protocolOf(pulled('first', { limits: [{ key: 'gpu', max: 1 }] }))
const RATED = protocolOf(pulled('first', { limits: [{ key: 'api', max: 1, per_ms: 60_000 }] }))

function steer(kernel: KernelLedger, queue: string, how: object): void {
  kernel.run({ type: 'steerQueue', tenant_id: EVERYBODY, queue, ...how, actor: 'operator', reason: null })
}

/** A job in every kind of wait, and what is to be said of it first. */
const WAITS: readonly (readonly [cause: string, until: boolean, (kernel: KernelLedger) => unknown])[] = [
  ['worker', false, (kernel) => void kernel.submit()],
  ['delay', true, (kernel) => void kernel.submit({ delay_ms: 60_000 })],
  [
    'dependency',
    false,
    (kernel) => {
      kernel.submit({ job_id: 'j0' })
      kernel.submit({ depends_on: ['j0'] })
    },
  ],
  [
    'paused',
    false,
    (kernel) => {
      steer(kernel, 'first-service', { state: 'paused' })
      kernel.submit()
    },
  ],
  [
    'limit',
    false,
    (kernel) => {
      kernel.submit({ job_id: 'j0', protocol: LIMITED })
      kernel.claim('j0')
      kernel.submit({ protocol: LIMITED })
    },
  ],
  [
    'limit',
    false,
    (kernel) => {
      steer(kernel, 'first-service', { concurrency: 1 })
      kernel.submit({ job_id: 'j0' })
      kernel.claim('j0')
      kernel.submit()
    },
  ],
  [
    'rate',
    true,
    (kernel) => {
      kernel.submit({ job_id: 'j0', protocol: RATED })
      kernel.claim('j0')
      kernel.submit({ protocol: RATED })
    },
  ],
  [
    'rate',
    true,
    (kernel) => {
      steer(kernel, 'first-service', { rate: { max: 1, per_ms: 60_000 } })
      kernel.submit({ job_id: 'j0' })
      kernel.claim('j0')
      kernel.submit()
    },
  ],
  [
    'turn',
    false,
    (kernel) => {
      kernel.submit({ job_id: 'j0' })
      kernel.submit()
      return ['j0']
    },
  ],
  [
    'backoff',
    true,
    (kernel) => {
      kernel.submit()
      kernel.claim()
      kernel.fail('RETRYABLE')
    },
  ],
  [
    'lease',
    true,
    (kernel) => {
      kernel.submit()
      kernel.claim()
    },
  ],
  ['dispatcher', false, (kernel) => void kernel.submit({ protocol: protocolOf(pushed('first')) })],
  [
    'publishing',
    true,
    (kernel) => {
      kernel.submit({ protocol: protocolOf(pushed('first')) })
      kernel.take()
    },
  ],
  [
    'publish_backoff',
    true,
    (kernel) => {
      kernel.submit({ protocol: protocolOf(pushed('first')) })
      kernel.unsent(kernel.take().outbox_id, { code: 'DOWN', message: 'the bus is down' })
    },
  ],
  [
    'ack',
    true,
    (kernel) => {
      kernel.submit({ protocol: protocolOf(pushed('first')) })
      kernel.publish()
    },
  ],
  [
    'external',
    false,
    (kernel) => void kernel.submit({ protocol: protocolOf(pulled('first', { delivery: 'external' })) }),
  ],
  [
    'gate',
    false,
    (kernel) => {
      const gate = { name: 'ready', when: { field: 'metadata.ready', op: 'exists' } } as const
      kernel.submit({ protocol: protocolOf(pulled('first', { gate })) })
    },
  ],
  [
    'cancelling',
    true,
    (kernel) => {
      kernel.submit()
      kernel.claim()
      kernel.cancel()
    },
  ],
  [
    'timer',
    false,
    (kernel) => {
      kernel.submit({ delay_ms: 1000 })
      kernel.now += 5000
    },
  ],
]

describe('why a job waits', () => {
  it.each(WAITS)('says %s, and the command that would end it', (cause, hasUntil, arrange) => {
    const kernel = new KernelLedger()
    const others = (arrange(kernel) ?? []) as readonly string[]
    const said = why(kernel, 'j1', others)
    const [first] = said.causes
    expect(first).toMatchObject({ cause, message: expect.stringMatching(/\w{3}/) })
    expect(first?.until !== null).toBe(hasUntil)
    expect(first?.unblock?.command).toMatch(/^waybill /)
    expect(said.step).toMatchObject({ steps: expect.any(Number), attempts_left: expect.any(Number) })
    // Starting a worker or a dispatcher helps by itself; everything else is tried.
    if (cause === 'worker' || cause === 'dispatcher') return
    follow(kernel, first as Cause)
    const after = why(kernel, 'j1', others).causes[0]
    expect([after?.cause, after?.message]).not.toEqual([first?.cause, first?.message])
  })

  it('says how a job ended, and how to run it again', () => {
    const kernel = new KernelLedger()
    kernel.submit({ protocol: protocolOf(pulled('first')) })
    kernel.claim()
    kernel.fail('NON_RETRYABLE')
    const said = why(kernel)
    expect(said).toMatchObject({ state: 'FAILED_FINAL', step: null, next_states: [] })
    expect(said.causes).toMatchObject([{ cause: 'ended', message: expect.stringContaining('it broke') }])
    expect(said.causes[0]?.unblock?.command).toBe(`waybill jobs again j1 --tenant ${TENANT}`)
  })

  it('has nothing to suggest for a job that succeeded', () => {
    const kernel = new KernelLedger()
    kernel.submit({ protocol: protocolOf(pulled('first')) })
    kernel.claim()
    kernel.succeed()
    expect(why(kernel).causes).toMatchObject([{ cause: 'ended', unblock: null }])
  })

  it('says of one between two stages who has to report, and until when', () => {
    const kernel = new KernelLedger()
    kernel.submit({ protocol: protocolOf(pulled('bootstrap', { delivery: 'external' })) })
    const facts = { attempts: null, output_count: null, duration_ms: null, output: null }
    const report = { what: 'succeeded', stage: 'chunk', ...facts } as const
    const by = { tenant_id: TENANT, job_id: 'j1', actor: 'dagster', reason: null }
    kernel.run({ type: 'reportStage', ...by, report })
    const { causes, step } = why(kernel)
    expect(step).toBeNull()
    expect(causes).toMatchObject([{ cause: 'external', until: kernel.job().report_by }])
    follow(kernel, causes[0] as Cause)
    expect(kernel.job().state).toBe('CANCELLED')
  })

  it('names what a job would run into next', () => {
    const kernel = new KernelLedger()
    steer(kernel, 'first-service', { state: 'paused' })
    kernel.submit({ job_id: 'j0' })
    kernel.submit({ depends_on: ['j0'], delay_ms: 60_000 })
    expect(why(kernel).causes.map(({ cause }) => cause)).toEqual(['dependency', 'delay', 'paused'])
  })

  it('counts those that go first, also when there are more than were looked at', () => {
    const kernel = new KernelLedger()
    for (const job_id of ['a', 'b', 'j1']) kernel.submit({ job_id })
    expect(why(kernel, 'j1', ['a', 'b']).causes.map(({ cause, message }) => [cause, message])).toEqual([
      ['turn', 'It is its turn in queue first-service after 2 others'],
      ['worker', expect.any(String)],
    ])
    const heads = ['a', 'b'].map(
      (id): ReadyHead => ({
        key: { kind: 'job', tenant_id: TENANT, id },
        ready: kernel.job(id).ready as NonNullable<JobRecord['ready']>,
      }),
    )
    const view = { used: () => 0, freeAt: () => null, holders: () => [], queue: () => null }
    expect(placeOf(kernel.job('j1'), heads, view)).toMatchObject({ cause: 'turn', ahead: 2, isBeyond: true })
  })

  it('says that those in front will use a limit up', () => {
    const kernel = new KernelLedger()
    for (const job_id of ['a', 'j1']) kernel.submit({ job_id, protocol: LIMITED })
    expect(why(kernel, 'j1', ['a']).causes[0]).toMatchObject({ cause: 'turn', details: { ahead: 1 } })
  })

  it('names a few of those that hold a limit, and how many more there are', () => {
    const kernel = new KernelLedger()
    const protocol = protocolOf(pulled('first', { limits: [{ key: 'gpu', max: 5 }] }))
    for (const job_id of ['a', 'b', 'c', 'd', 'e']) {
      kernel.submit({ job_id, protocol })
      kernel.claim(job_id)
    }
    kernel.submit({ protocol })
    const [cause] = why(kernel).causes
    expect(cause?.message).toBe('Limit gpu is reached: 5 of 5 are held, by a, b, c and 2 more')
  })

  it('quotes names that a shell would take apart', () => {
    const kernel = new KernelLedger()
    kernel.run(submitOf({ job_id: "it's --one", delay_ms: 1000 }))
    const [cause] = why(kernel, "it's --one").causes
    expect(cause?.unblock?.command).toBe(`waybill jobs expedite 'it'\\''s --one' --tenant ${TENANT}`)
  })

  it('names no tenant to those who never name one', () => {
    const kernel = new KernelLedger()
    kernel.submit({ tenant_id: 'default', delay_ms: 1000 })
    const job = kernel.get('job', 'default', 'j1')
    const facts = { now: kernel.now, dependencies: new Map(), queue: null, place: null }
    const [cause] = job === null ? [] : whyJob(job, facts).causes
    expect(cause?.unblock?.command).toBe('waybill jobs expedite j1')
  })

  it('says of a job that it waits for, and did not look at, only that it waits', () => {
    const kernel = new KernelLedger()
    kernel.submit({ job_id: 'j0' })
    kernel.submit({ depends_on: ['j0'] })
    const job = kernel.get('job', TENANT, 'j1')
    const facts = { now: kernel.now, dependencies: new Map(), queue: null, place: null }
    const [cause] = job === null ? [] : whyJob(job, facts).causes
    expect(cause).toMatchObject({ message: 'It waits for job j0', details: { job_id: 'j0', state: null } })
  })

  it('says of one that a crash left behind that something is due', () => {
    const kernel = new KernelLedger()
    kernel.submit({ protocol: protocolOf(pulled('first')) })
    kernel.claim()
    const puts = kernel.steps().map((step) => ({ ...step, state: 'SUCCEEDED' }) as const)
    kernel.write({ puts: [...puts, { ...kernel.job(), due_at: null }] })
    const [cause] = why(kernel).causes
    expect(cause).toMatchObject({ cause: 'timer', details: { since: null } })
    expect(cause?.message).toMatch(/^Something is due, and nobody has done it/)
  })

  it('knows no time for a rate of which nobody knows when it is free, and counts more than were looked at', () => {
    const kernel = new KernelLedger()
    kernel.submit({ protocol: RATED })
    const job = kernel.get('job', TENANT, 'j1')
    const facts = { now: kernel.now, dependencies: new Map(), queue: null }
    const at = { ahead: 2, isBeyond: true }
    const limit = { key: 'api', max: 1, per_ms: 60_000, tenant_id: TENANT, until: null, used: 1, holders: [] }
    const causesAt = (place: Place) => (job === null ? [] : whyJob(job, { ...facts, place }).causes)
    expect(causesAt({ ...at, cause: 'rate', limit })).toMatchObject([{ cause: 'rate', until: null }])
    expect(causesAt({ ...at, cause: 'turn', limit: null })[0]?.message).toMatch(/after more than 2 others/)
  })
})
