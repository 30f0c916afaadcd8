import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed, TENANT } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { isEdge, statesOf } from '../machine.ts'
import { type WorkstreamState, workstreamMachine } from '../machines/workstream.ts'
import { cardOf } from './board.ts'
import { fixOf, LANE_SPECS, LANES, type Lane, laneOf, movesFrom } from './lane.ts'
import type { WorkstreamRecord } from './workstream-record.ts'

const SINCE = '2025-01-01T00:00:00.000Z'

function workstream(state: WorkstreamState, more: Partial<WorkstreamRecord> = {}): WorkstreamRecord {
  return {
    kind: 'workstream',
    tenant_id: TENANT,
    workstream_id: 'w1',
    run_id: 'r1',
    state,
    state_since: SINCE,
    sealed: false,
    metadata: {},
    created_at: SINCE,
    updated_at: SINCE,
    completed_at: null,
    etag: 'e1',
    ...more,
  }
}

const LANE_OF: { readonly [state in WorkstreamState]: Lane } = {
  pending: 'waiting',
  ready: 'waiting',
  blocked: 'waiting',
  running: 'running',
  failed: 'quarantine',
  succeeded: 'completed',
  skipped: 'completed',
}

describe('lanes', () => {
  it.each(statesOf(workstreamMachine))('one that is %s has its place', (state) => {
    expect(laneOf(workstream(state), null).lane).toBe(LANE_OF[state])
    expect(laneOf(workstream(state), 'a fix').lane).toBe(state === 'running' ? 'fixing' : LANE_OF[state])
  })

  it('say why', () => {
    expect(laneOf(workstream('running'), 'as it says').lane_reason).toBe('as it says')
    expect(laneOf(workstream('failed'), null).lane_reason).toBe(`It is failed since ${SINCE}`)
    expect(laneOf(workstream('running'), null).lane_reason).toMatch(/, and more jobs may come$/)
    expect(laneOf(workstream('running', { sealed: true }), null).lane_reason).toBe(
      `It is running since ${SINCE}`,
    )
  })

  it.each(statesOf(workstreamMachine))('one that is %s goes where the machine lets it', (state) => {
    for (const lane of [LANE_OF[state], ...(state === 'running' ? (['fixing'] as const) : [])]) {
      const moves = movesFrom(workstream(state), lane, 0)
      expect(moves.map((move) => move.lane)).toEqual(LANES.filter((other) => other !== lane))
      for (const move of moves) {
        const legal = LANE_SPECS[move.lane].says.find((to) => isEdge(workstreamMachine, state, to)) ?? null
        expect(move).toEqual({
          lane: move.lane,
          state: legal,
          allowed: legal !== null,
          why_not: legal === null ? expect.stringMatching(/\w/) : null,
        })
      }
    }
  })

  it('say why one cannot be put somewhere', () => {
    const whyNot = (state: WorkstreamState, to: Lane, from: Lane = LANE_OF[state]) =>
      movesFrom(workstream(state), from, 0).find(({ lane }) => lane === to)?.why_not
    expect(whyNot('running', 'fixing')).toMatch(/^Its jobs say so/)
    expect(whyNot('running', 'running', 'fixing')).toBe('It is running already')
    expect(whyNot('failed', 'waiting')).toBe('The workstream w1 is failed and cannot become ready')
    expect(movesFrom(workstream('pending'), 'waiting', 0).at(-1)?.state).toBe('skipped')
    expect(movesFrom(workstream('running'), 'running', 0).at(-1)?.state).toBe('succeeded')
  })
})

describe('a job that is being put right', () => {
  const fix = (kernel: KernelLedger, id = 'j1') => {
    const job = kernel.get('job', TENANT, id)
    return job === null ? null : fixOf(job)
  }

  it('waits for another attempt, is at one, or took over', () => {
    const kernel = new KernelLedger()
    const rungs = [{ protocol: protocolOf(pulled('x')), payload: {}, priority: 1 }] as const
    kernel.submit({ protocol: protocolOf(pushed('ocr')), rungs })
    expect(fix(kernel)).toBeNull()
    kernel.publish()
    kernel.ack()
    expect(fix(kernel)).toBeNull()
    kernel.fail('RETRYABLE')
    expect(fix(kernel)).toMatch(/^Step ocr of job j1 is tried again at 2025/)
    kernel.pass(600_000)
    expect(fix(kernel)).toBe('Step ocr of job j1 is at attempt 2')
    kernel.publish()
    kernel.ack()
    kernel.fail('NON_RETRYABLE')
    expect(fix(kernel)).toBeNull()
    expect(fix(kernel, 'j1~2')).toBe('Job j1~2 took over from j1, which failed')
  })
})

describe('a card', () => {
  const none = { now: 0, jobs: [], is_more: false, fixing: null }

  it('of a workstream without jobs', () => {
    expect(cardOf(workstream('ready'), none)).toEqual({
      tenant_id: TENANT,
      workstream_id: 'w1',
      run_id: 'r1',
      state: 'ready',
      since: SINCE,
      etag: 'e1',
      lane: 'waiting',
      lane_reason: `It is ready since ${SINCE}`,
      jobs: { open: 0, succeeded: 0, failed: 0, cancelled: 0, is_more: false },
      failing_job: null,
      moves: expect.any(Array),
    })
  })

  it('counts its jobs, and shows the one that failed or is being put right', () => {
    const kernel = new KernelLedger()
    for (const job_id of ['open', 'good', 'bad', 'off']) {
      kernel.submit({ job_id, protocol: protocolOf(pulled('a')) })
    }
    kernel.claim('good')
    kernel.succeed('good')
    kernel.claim('bad')
    kernel.fail('NON_RETRYABLE', 'bad')
    kernel.cancel('off')
    const jobs = ['open', 'good', 'bad', 'off'].map((id) => kernel.job(id))
    const facts = { ...none, jobs, is_more: true }
    const failed = cardOf(workstream('failed'), facts)
    expect(failed.jobs).toEqual({ open: 1, succeeded: 1, failed: 1, cancelled: 1, is_more: true })
    expect(failed.failing_job).toMatchObject({ job_id: 'bad', state: 'FAILED_FINAL', exists: true })
    const fixing = { job: kernel.job('open'), fix: 'once more' }
    expect(cardOf(workstream('running'), { ...facts, fixing })).toMatchObject({
      lane: 'fixing',
      lane_reason: 'once more',
      failing_job: { job_id: 'open' },
    })
  })
})
