import { describe, expect, it } from 'vitest'
import { type Command, decide } from '../core/command.ts'
import { change } from '../core/decision.ts'
import type { RunRecord } from '../core/group/run-record.ts'
import { moveDocument, onJob, submitJob, TENANT } from '../testing/conformance/commands.ts'
import { virtualWorld } from '../testing/virtual-world.ts'
import { checkRecords } from './check-records.ts'
import { decideOn } from './live/live-given.ts'
import { LiveState } from './live/live-state.ts'
import { MemoryLog } from './memory/memory-log.ts'

/** A ledger to which something happens whenever the check is about to look at the next thing. */
function setUp() {
  const live = new LiveState()
  const log = new MemoryLog()
  const { ids, clock } = virtualWorld()
  let commits = 0
  const act = (command: Command) => {
    const decision = decideOn(live, clock.now(), ids, (given) => decide(command, given))
    if (decision.kind !== 'change') throw new Error(decision.kind)
    live.apply(decision.change, String(++commits))
    for (const entry of decision.change.audit) log.append(entry)
  }
  const check = (meanwhile: () => void = () => {}) =>
    checkRecords({
      *records(kind) {
        for (const record of [...live.records(kind)]) {
          yield record
          meanwhile()
        }
      },
      counts: (kind) => {
        meanwhile()
        return live.counts.read(kind)
      },
      *history(after) {
        for (const record of [...log.after(after)]) {
          yield record
          meanwhile()
        }
      },
      lastSeq: () => log.lastSeq,
      isCompared: () => true,
    })
  return { live, act, check }
}

const RUN = { kind: 'run', tenant_id: TENANT, run_id: 'r', state: 'running' } as RunRecord
const PLANTED = [
  { where: `run ${TENANT} r`, what: 'is running, but its history ends with pending' },
  { where: 'queue paused', what: '3 counted, 0 there' },
]

/** Documents and jobs that come, go on and end, one after the other. */
function* busyLife(act: (command: Command) => void): Generator<void> {
  for (let n = 0; ; n++) {
    for (const state of ['fetching', 'fetched', 'parsing'] as const) yield act(moveDocument(`d${n}`, state))
    yield act(submitJob(`j${n}`))
    yield act(onJob('cancelJob', `j${n}`))
    yield act(moveDocument(`d${n}`, 'failed', { validate: false }))
  }
}

describe('checking records that change meanwhile', () => {
  it('finds nothing where nothing is wrong', async () => {
    const { act, check } = setUp()
    const life = busyLife(act)
    for (let n = 0; n < 100; n++) life.next()
    expect(await check(() => void life.next())).toEqual([])
    expect(await check()).toEqual([])
  })

  it('finds what nothing that happened explains', async () => {
    const { live, act, check } = setUp()
    const life = busyLife(act)
    for (let n = 0; n < 100; n++) life.next()
    live.apply(change(null, { puts: [{ ...RUN }] }).change, 'planted')
    live.counts.add(TENANT, 'queue', 'paused', 3)
    expect(await check(() => void life.next())).toEqual(PLANTED)
    expect(await check()).toEqual(PLANTED)
  })

  it('finds a record in a state that it has not been in since, though it has moved', async () => {
    const { live, act, check } = setUp()
    act(moveDocument('a', 'fetching'))
    let isMoved = false
    const findings = await check(() => {
      if (isMoved) return
      isMoved = true
      act(moveDocument('a', 'fetched'))
      const record = live.record({ kind: 'document', tenant_id: TENANT, id: 'a' })
      if (record !== null)
        live.apply(change(null, { puts: [{ ...record, state: 'failed' }] }).change, 'planted')
    })
    expect(findings).toEqual([
      { where: `document ${TENANT} a`, what: 'is failed, but its history ends with fetching' },
    ])
  })
})
