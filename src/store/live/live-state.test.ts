import { describe, expect, it } from 'vitest'
import type { LedgerRecord } from '../../core/aggregate.ts'
import { type Command, decide } from '../../core/command.ts'
import { change } from '../../core/decision.ts'
import type { RunRecord } from '../../core/group/run-record.ts'
import type { WorkstreamRecord } from '../../core/group/workstream-record.ts'
import { moveDocument, onJob, submitJob, TENANT } from '../../testing/conformance/commands.ts'
import { PUSHED } from '../../testing/conformance/protocols.ts'
import { virtualWorld } from '../../testing/virtual-world.ts'
import { checkRecords } from '../check-records.ts'
import { decideOn } from './live-given.ts'
import { LiveState } from './live-state.ts'

const RUN = { kind: 'run', tenant_id: TENANT, run_id: 'r', state: 'pending' } as RunRecord
const WORKSTREAM = {
  kind: 'workstream',
  tenant_id: TENANT,
  workstream_id: 'w',
  state: 'ready',
} as WorkstreamRecord

function setUp() {
  const live = new LiveState()
  const { ids, clock } = virtualWorld()
  let commits = 0
  const put = (...puts: readonly LedgerRecord[]) =>
    live.apply(change(null, { puts: puts.map((record) => ({ ...record })) }).change, String(++commits))
  const act = (command: Command) => {
    const decision = decideOn(live, clock.now(), ids, (given) => decide(command, given))
    if (decision.kind === 'change') live.apply(decision.change, String(++commits))
    return decision.kind
  }
  return { live, put, act }
}

const check = (live: LiveState) =>
  checkRecords({
    records: (kind) => live.records(kind),
    counts: (kind) => live.counts.read(kind),
    history: () => [],
    lastSeq: () => 0,
    isCompared: () => true,
  })

describe('live state', () => {
  it('keeps every kind of record under its own key', () => {
    const { live, put, act } = setUp()
    put(RUN, WORKSTREAM)
    act(moveDocument('d', 'fetching'))
    act(submitJob('j', { protocol: PUSHED }))
    const row = live.aggregate('job', TENANT, 'j')?.outbox[0]
    const get = (kind: LedgerRecord['kind'], id: string) => live.record({ kind, tenant_id: TENANT, id })
    expect(get('run', 'r')).toMatchObject({ run_id: 'r', etag: '1' })
    expect(get('workstream', 'w')).toMatchObject({ workstream_id: 'w', etag: '1' })
    expect(get('document', 'd')).toMatchObject({ state: 'fetching', etag: '2' })
    expect(get('job', 'j')).toMatchObject({ state: 'DISPATCHING', etag: '3' })
    expect(get('step', 'j/ocr')).toMatchObject({ step_id: 'ocr', etag: '3' })
    expect(get('outbox', row?.outbox_id ?? '')).toBe(row)
    for (const kind of ['run', 'workstream', 'document', 'job', 'step', 'outbox'] as const) {
      expect(get(kind, 'nowhere')).toBeNull()
    }
  })

  // The id of a step is `job/step`; one without a slash used to be read as a job with its last letter cut off.
  it('does not take a step for the step of a job with a similar name', () => {
    const { live, act } = setUp()
    act(submitJob('rea'))
    expect(live.record({ kind: 'step', tenant_id: TENANT, id: 'read' })).toBeNull()
  })

  it('replaces a run, and counts it once', () => {
    const { live, put } = setUp()
    put(RUN)
    put({ ...RUN, state: 'running' })
    expect(live.counts.read('run')).toMatchObject({ pending: 0, running: 1 })
    expect([...live.records('run')]).toHaveLength(1)
  })

  it('lists records by kind and tenant, outbox rows whether open or closed', () => {
    const { live, act } = setUp()
    act(submitJob('a', { protocol: PUSHED }))
    act(submitJob('b', { protocol: PUSHED, tenant_id: 'Zeta' }))
    act(onJob('cancelJob', 'a'))
    const states = (kind: LedgerRecord['kind'], tenant_id?: string) =>
      [...live.records(kind, tenant_id)].map(({ state }) => state)
    expect(states('job')).toEqual(['CANCELLED', 'DISPATCHING'])
    expect(states('job', 'Zeta')).toEqual(['DISPATCHING'])
    expect(states('step', TENANT)).toEqual(['CANCELLED', 'CANCELLED'])
    expect(states('outbox')).toEqual(['FAILED_FINAL', 'PENDING'])
    expect(states('outbox', 'Zeta')).toEqual(['PENDING'])
    expect(live.aggregate('job', TENANT, 'a')?.outbox).toEqual([])
  })

  it('drops a signal that nobody waits for', () => {
    const { live, act } = setUp()
    act(submitJob('alone'))
    act(onJob('cancelJob', 'alone'))
    expect(live.signals.pending).toBe(0)
    act(submitJob('first'))
    act(submitJob('second', { depends_on: ['first'] }))
    act(onJob('cancelJob', 'first'))
    expect(live.signals.pending).toBe(1)
  })
})

describe('deciding on a live state', () => {
  it('asks again when a slot is full, until the decision makes do without', () => {
    const { live, act } = setUp()
    expect(act(submitJob('a', { inFlightLimit: 1 }))).toBe('change')
    expect(act(submitJob('b', { inFlightLimit: 1 }))).toBe('refusal')
    expect(live.devices.useAt(0).used(TENANT, 'in-flight')).toBe(1)
  })

  it('crashes on a decision that insists on a full slot, or claims without looking', () => {
    const { live } = setUp()
    const { ids } = virtualWorld()
    const slot = { verb: 'take', tenant_id: 't', key: 'k', owner: 'o', max: 0 } as const
    expect(() => decideOn(live, 0, ids, () => change(null, { slots: [slot] }))).toThrow(/does not ask again/)
    const claim = (owner: string) => change(null, { claims: [{ tenant_id: 't', key: 'k', owner }] })
    live.apply(claim('first').change, '1')
    expect(() => decideOn(live, 0, ids, () => claim('second'))).toThrow(/looks before it claims/)
  })
})

describe('checking a live state', () => {
  it('finds a record that is not where its history ends', async () => {
    const { live, put } = setUp()
    put(RUN, { ...RUN, run_id: 's', state: 'running' })
    const findings = await check(live)
    expect(findings).toEqual([
      { where: `run ${TENANT} s`, what: 'is running, but its history ends with pending' },
    ])
  })

  it('finds a count that is off', async () => {
    const { live, put } = setUp()
    put(RUN)
    live.counts.replace(null, RUN)
    expect(await check(live)).toEqual([{ where: 'run pending', what: '2 counted, 1 there' }])
  })
})
