import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AlikeJobs } from '../../../test/fixtures/alike-jobs.ts'
import { anyJson } from '../../../test/fixtures/any-json.ts'
import { protocolOf, pulled, pushed, submitOf, TENANT } from '../../../test/fixtures/job-commands.ts'
import type { Change } from '../decision.ts'
import type { QueueRecord } from '../queue/record.ts'
import type { ClaimAnswer, ClaimStep, HeartbeatStep, ReportResult, StepResult } from './commands.ts'
import type { Protocol } from './protocol.ts'
import type { StepRecord } from './record.ts'
import { Stride } from './stride.ts'

const claim = (job_id: string, actor = 'worker'): ClaimStep => ({
  type: 'claimStep',
  tenant_id: TENANT,
  job_id,
  actor,
  reason: null,
})

function onAttempt(jobs: AlikeJobs, job_id: string) {
  const step = jobs.get(job_id).steps.findLast(({ lease_id }) => lease_id !== null) as StepRecord
  const { step_id, attempt_no, lease_id } = step
  return {
    tenant_id: TENANT,
    job_id,
    actor: 'worker',
    reason: null,
    step_id,
    attempt_no,
    lease_id: lease_id as string,
  }
}

const report = (jobs: AlikeJobs, job_id: string, result: StepResult): ReportResult => ({
  ...onAttempt(jobs, job_id),
  type: 'reportResult',
  result,
})

const SUCCESS = { status: 'SUCCEEDED' } as const
const FAILURE = {
  status: 'FAILED',
  failure_class: 'RETRYABLE',
  error: { code: 'NO', message: 'no' },
} as const

let made = 0

function submitted(jobs: AlikeJobs, protocol: Protocol, more = {}): string {
  jobs.now += 5
  const job_id = `made-${++made}`
  const command = submitOf({
    protocol,
    isFreshId: true,
    job_id,
    idempotency_hash: `hash-of-${job_id}`,
    payload: { about: job_id },
    ...more,
  })
  jobs.submit(command)
  return job_id
}

const told = ({ puts, audit, claims, slots, signals }: Change) => ({
  puts: puts.map((put) => ({ ...put, etag: '' })),
  audit,
  claims,
  slots,
  signals,
})

/** Jobs that have gone all of their way, so that others may follow them. */
function gone(jobs: AlikeJobs, protocol: Protocol, count = 16): void {
  const ids = Array.from({ length: count }, () => submitted(jobs, protocol))
  for (const _ of protocol.steps) {
    for (const id of ids) {
      jobs.now += 7
      jobs.do(claim(id))
      jobs.now += 3
      jobs.do(report(jobs, id, SUCCESS))
    }
  }
}

describe('jobs that go the way of others', () => {
  it('are what they would be if each had been decided by itself, whatever else happens to some', () => {
    const next = fc.record({
      laterMs: fc.nat(3000),
      what: fc.constantFrom('go', 'go', 'go', 'go', 'go', 'go', 'say', 'fail', 'beat', 'cancel', 'other'),
      job: fc.nat(20),
      output: anyJson,
    })
    const protocols = fc
      .array(
        fc.record({
          policy: fc.record({
            max_attempts: fc.integer({ min: 1, max: 3 }),
            lease_ms: fc.integer({ min: 1000, max: 90_000 }),
          }),
        }),
        { minLength: 1, maxLength: 3 },
      )
      .map((steps) => protocolOf(...steps.map((more, nth) => pulled(`step-${nth}`, more))))
    let strides = 0
    fc.assert(
      fc.property(protocols, fc.array(next, { minLength: 60, maxLength: 120 }), (protocol, deeds) => {
        const jobs = new AlikeJobs()
        const ids = Array.from({ length: 8 }, () => submitted(jobs, protocol))
        for (const { laterMs, what, job, output } of deeds) {
          jobs.now += laterMs
          const id = ids[job % ids.length] as string
          const { job: record, steps } = jobs.get(id)
          if (record.completed_at !== null) continue
          const isHeld = steps.some(({ state }) => state === 'IN_PROGRESS')
          if (!isHeld && record.ready === null) continue
          const held = {
            go: () => report(jobs, id, SUCCESS),
            say: () => report(jobs, id, { ...SUCCESS, output }),
            fail: () => report(jobs, id, FAILURE),
            beat: (): HeartbeatStep => ({ ...onAttempt(jobs, id), type: 'heartbeatStep' }),
            cancel: () => ({ ...claim(id), type: 'cancelJob' }) as const,
            other: () => report(jobs, id, { ...SUCCESS, metadata: { own: id } }),
          }[what]
          const command = isHeld ? held() : claim(id, what === 'other' ? 'another' : 'worker')
          const { alike, anew } = jobs.do(command)
          if (alike.change instanceof Stride) strides++
          expect(told(alike.change)).toEqual(told(anew.change))
          expect(withoutEtags(alike.answer)).toEqual(withoutEtags(anew.answer))
          expect(taskIn(alike.answer)).toEqual(taskIn(anew.answer))
        }
      }),
      { numRuns: 60 },
    )
    expect(strides).toBeGreaterThan(100)
  })

  it('are decided like those before them, and their records are as they are written', () => {
    const jobs = new AlikeJobs()
    const protocol = protocolOf(pulled('first'), pulled('second'))
    gone(jobs, protocol)
    const id = submitted(jobs, protocol)
    const { change } = jobs.do(claim(id)).alike
    expect(change).toBeInstanceOf(Stride)
    const stride = change as Stride
    expect([stride.job, stride.step].map((record) => [record.etag, Object.isFrozen(record)])).toEqual([
      [stride.job.etag, true],
      [stride.job.etag, true],
    ])
    expect(stride.etag).toBe(stride.job.etag)
    expect(stride.etag).not.toBe('')
    expect(stride.steps).toBe(stride.steps)
    expect(stride.takes).toBe(false)
    jobs.do(report(jobs, id, { ...SUCCESS, output: null }))
    const { answer } = jobs.do(claim(id)).alike
    expect((answer as ClaimAnswer).previous).toBeNull()
    expect([stride.waits_for, stride.outbox, stride.ready]).toEqual([[], [], null])
    expect([stride.tenant_id, stride.job_id]).toEqual([TENANT, id])
    const read = jobs.do(claim(submitted(jobs, protocol)), { looksEarly: true }).alike.change as Stride
    expect(Object.isFrozen(read.job) && Object.isFrozen(read.step)).toBe(true)
    expect(Number(read.job.etag)).toBeGreaterThan(Number(stride.job.etag))
  })

  it.each([
    ['a queue that somebody has paused once', (jobs: AlikeJobs) => (jobs.queue = QUEUE)],
    ['another worker', () => 'another'],
  ])('are not taken like others from %s', (_, change) => {
    const jobs = new AlikeJobs()
    const protocol = protocolOf(pulled('first'))
    gone(jobs, protocol)
    const id = submitted(jobs, protocol)
    const actor = change(jobs)
    const { alike } = jobs.do(claim(id, typeof actor === 'string' ? actor : 'worker'))
    expect(alike.change).not.toBeInstanceOf(Stride)
  })

  it('take none from a queue that somebody decides about all the time', () => {
    const jobs = new AlikeJobs()
    const protocol = protocolOf(pulled('first'))
    jobs.queue = QUEUE
    const ids = Array.from({ length: 6 }, () => submitted(jobs, protocol))
    expect(ids.some((id) => jobs.do(claim(id)).alike.change instanceof Stride)).toBe(false)
  })

  it('are refused what others are: a result without the lease, and one that comes twice', () => {
    const jobs = new AlikeJobs()
    const protocol = protocolOf(pulled('first'))
    gone(jobs, protocol)
    const id = submitted(jobs, protocol)
    jobs.do(claim(id))
    const command = report(jobs, id, SUCCESS)
    expect(() => jobs.do({ ...command, lease_id: 'another' })).toThrow('refusal')
    expect(() => jobs.do({ ...command, if_match: 'old' })).toThrow('refusal')
    expect(jobs.do(command).alike.change).toBeInstanceOf(Stride)
    expect(jobs.do(command).alike.change).not.toBeInstanceOf(Stride)
  })

  it.each([
    ['that has more to write', protocolOf(pulled('first'), pushed('second'))],
    [
      'that moves a document',
      protocolOf(pulled('first', { document: { enters: 'parsing', leaves: 'parsed' } })),
    ],
  ])('take no stride %s', (_, protocol) => {
    const jobs = new AlikeJobs()
    const ids = Array.from({ length: 6 }, () => submitted(jobs, protocol))
    const changes = ids.map((id) => {
      jobs.do(claim(id))
      return jobs.do(report(jobs, id, SUCCESS)).alike.change
    })
    expect(changes.some((change) => change instanceof Stride)).toBe(false)
  })

  it('take none where what is told of each is its own: stages of a pipeline have times', () => {
    const jobs = new AlikeJobs()
    const protocol = protocolOf(pulled('first'))
    for (let nth = 0; nth < 6; nth++) {
      const id = submitted(jobs, protocol, { pipeline_name: 'pdf' })
      jobs.now += nth
      jobs.do(claim(id))
      jobs.now += 2 * nth
      expect(jobs.do(report(jobs, id, SUCCESS)).alike.change).not.toBeInstanceOf(Stride)
    }
  })

  it('remember a few ways to go on, and not one for every worker there ever was', () => {
    const jobs = new AlikeJobs()
    const protocol = protocolOf(pulled('first'))
    for (let nth = 0; nth < 20; nth++) {
      for (let job = 0; job < 4; job++) jobs.do(claim(submitted(jobs, protocol), `worker-${nth}`))
    }
    const taken = (actor: string) => jobs.do(claim(submitted(jobs, protocol), actor)).alike.change
    expect(taken('worker-0')).toBeInstanceOf(Stride)
    expect(taken('worker-19')).not.toBeInstanceOf(Stride)
  })
})

const QUEUE = { kind: 'queue', state: 'active', limits: [] } as unknown as QueueRecord

/** What a worker needs of what was claimed; null when nothing was. */
function taskIn(answer: unknown): unknown {
  if (!(answer instanceof Object) || !('task' in answer)) return null
  const { task } = answer as ClaimAnswer
  const { tenant_id, job_id, step_id, attempt_no, lease_id, queue, delivery, policy, input } = task
  return { tenant_id, job_id, step_id, attempt_no, lease_id, queue, delivery, policy, input }
}

function withoutEtags(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (key, value) => (key === 'etag' ? '' : value))
}
