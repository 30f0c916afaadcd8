import { describe, expect, it } from 'vitest'
import { protocolOf, pulled, pushed, submitOf } from '../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../test/fixtures/kernel-ledger.ts'
import type { AggregateKind } from './aggregate.ts'
import { decideBatch } from './batch.ts'
import type { Command } from './command.ts'
import type { Given } from './decision.ts'
import type { UpdateDocument } from './document/decide.ts'
import { IN_FLIGHT } from './job/limits.ts'

const to = { tenant_id: 't1', actor: 'ann', reason: null }

function update(state: UpdateDocument['state'], doc_id = 'doc:1'): UpdateDocument {
  return { type: 'updateDocument', ...to, doc_id, state }
}

function run(ledger: KernelLedger, commands: readonly Command[]): readonly unknown[] {
  return ledger.commit(ledger.decideBatch(commands))
}

/** Nothing of this kind was loaded. */
function without(ledger: KernelLedger, missing: AggregateKind): Given {
  return {
    now: ledger.now,
    ids: ledger.ids,
    ownerOf: () => undefined,
    isFull: () => false,
    get: (kind, tenant_id, id) => (kind === missing ? undefined : ledger.get(kind, tenant_id, id)),
  }
}

describe('a batch of jobs that are alike', () => {
  const protocol = protocolOf(pulled('first'))
  const shared = submitOf({ protocol, isFreshId: true })
  const alike = (job_id: string) => ({ ...shared, job_id, idempotency_hash: `hash-of-${job_id}` })

  function changeOf(ledger: KernelLedger, commands: readonly Command[]) {
    const decision = ledger.decideBatch(commands)
    if (decision.kind !== 'change') throw new Error(decision.kind)
    return decision
  }

  it('is told as such, also when some were accepted before', () => {
    const ledger = new KernelLedger()
    ledger.run(alike('a'))
    const { change, answer } = changeOf(ledger, [alike('b'), alike('a'), alike('c'), alike('b')])
    expect(change.births?.map(({ job_id }) => job_id)).toEqual(['b', 'c'])
    expect(answer).toMatchObject([
      { job_id: 'b', duplicate: false },
      { job_id: 'a', duplicate: true },
      { job_id: 'c', duplicate: false },
      { job_id: 'b', duplicate: true },
    ])
  })

  it('is not when there is something else, and then has the same records', () => {
    const ledger = new KernelLedger()
    ledger.run(alike('a'))
    const { change } = changeOf(ledger, [alike('b'), update('fetching')])
    expect(change.births).toBeUndefined()
    ledger.write(change)
    expect(ledger.states('b')).toEqual(['QUEUED', 'PENDING'])
  })

  it('may end what it began', () => {
    const ledger = new KernelLedger()
    ledger.run(alike('a'))
    run(ledger, [alike('b'), { type: 'cancelJob', ...to, job_id: 'b' }, alike('c')])
    expect(ledger.states('b')).toEqual(['CANCELLED', 'CANCELLED'])
    expect(ledger.states('c')).toEqual(['QUEUED', 'PENDING'])
    expect(ledger.used(IN_FLIGHT)).toBe(2)
  })
})

describe('a batch', () => {
  it('writes everything, and answers each command in its place', () => {
    const ledger = new KernelLedger()
    const answers = run(ledger, [submitOf({ job_id: 'a' }), update('fetching'), submitOf({ job_id: 'b' })])
    expect(answers).toMatchObject([
      { job_id: 'a', duplicate: false },
      { doc_id: 'doc:1', state: 'fetching' },
      { job_id: 'b', duplicate: false },
    ])
    expect(ledger.states('a')).toEqual(['QUEUED', 'PENDING', 'PENDING'])
    expect(ledger.get('document', 't1', 'doc:1')?.state).toBe('fetching')
    expect(ledger.used(IN_FLIGHT)).toBe(2)
    expect(ledger.history).toHaveLength(3)
  })

  // What a later command added to a job came after the job, and the journal lost a step: a list was written twice.
  it('has steps, then outbox rows, then the job, whichever command touched them first', () => {
    const ledger = new KernelLedger()
    ledger.submit({ protocol: protocolOf(pushed('first'), pushed('second')) })
    const decision = ledger.decideBatch([
      { type: 'expediteJob', ...to, job_id: 'j1', priority: null, ignore: ['attempt'] },
      { type: 'cancelJob', ...to, job_id: 'j1' },
      update('fetching'),
    ])
    if (decision.kind !== 'change') throw new Error(decision.kind)
    const kinds = decision.change.puts.map(({ kind }) => kind)
    expect(kinds).toEqual(['step', 'step', 'outbox', 'outbox', 'job', 'document'])
  })

  it('of nothing is nothing', () => {
    const ledger = new KernelLedger()
    expect(run(ledger, [])).toEqual([])
    expect(ledger.contents()).toEqual([])
  })

  it('is refused as a whole when one command is', () => {
    const ledger = new KernelLedger()
    expect(ledger.batchRefusalOf([submitOf(), update('fetching'), update('indexed')])).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
      details: { from: 'fetching', to: 'indexed' },
    })
    expect(ledger.history).toMatchObject([{ event: 'refused', id: 'doc:1' }])
    expect(ledger.contents()).toEqual([])
  })

  it('asks for what one of its commands was not given', () => {
    const ledger = new KernelLedger()
    const given = without(ledger, 'job')
    expect(decideBatch([update('fetching'), submitOf()], given)).toEqual({
      kind: 'need',
      keys: [{ kind: 'job', tenant_id: 't1', id: 'j1' }],
    })
  })

  // Each question was asked by itself: a thousand requests that had been submitted before were more questions than any
  // decision may ask.
  it('asks for everything at once, whatever a command says that rests on one before it', () => {
    const ledger = new KernelLedger()
    const given = without(ledger, 'document')
    const commands = [
      update('fetching', 'doc:1'),
      { type: 'cancelJob', ...to, job_id: 'nobody' } as const,
      update('fetching', 'doc:2'),
    ]
    expect(decideBatch(commands, given)).toEqual({
      kind: 'need',
      keys: [
        { kind: 'document', tenant_id: 't1', id: 'doc:1' },
        { kind: 'document', tenant_id: 't1', id: 'doc:2' },
      ],
    })
  })
})

describe('a command of a batch sees what the ones before it did', () => {
  it('to a document, also twice', () => {
    const ledger = new KernelLedger()
    run(ledger, [update('fetching'), update('fetched'), update('parsing')])
    expect(ledger.get('document', 't1', 'doc:1')?.state).toBe('parsing')
    expect(ledger.records('document', 'doc:1').map(({ new_state }) => new_state)).toEqual([
      'fetching',
      'fetched',
      'parsing',
    ])
  })

  it('to a job: one written record of each, as it is at the end', () => {
    const ledger = new KernelLedger()
    const decision = ledger.decideBatch([
      submitOf({ protocol: protocolOf(pulled('only')) }),
      { type: 'claimStep', ...to, job_id: 'j1' },
      { type: 'cancelJob', ...to, job_id: 'j1' },
    ])
    expect(decision.kind === 'change' && decision.change.puts.map(({ kind }) => kind)).toEqual([
      'step',
      'job',
    ])
    ledger.commit(decision)
    expect(ledger.states()).toEqual(['CANCELLING', 'IN_PROGRESS'])
  })

  it('to the outbox', () => {
    const ledger = new KernelLedger()
    const answers = run(ledger, [
      submitOf({ protocol: protocolOf(pushed('ocr')) }),
      { type: 'takeOutbox', ...to, job_id: 'j1' },
    ])
    expect(answers[1]).toMatchObject({ state: 'PENDING', tries: 1 })
    expect(ledger.rows()).toHaveLength(1)
    run(ledger, [
      { type: 'recordSent', ...to, job_id: 'j1', outbox_id: ledger.rows()[0]?.outbox_id ?? '' },
      { type: 'cancelJob', ...to, job_id: 'j1' },
    ])
    expect(ledger.rows()).toMatchObject([{ state: 'SENT' }])
    expect(ledger.states()).toEqual(['CANCELLED', 'CANCELLED'])
  })

  it('to jobs that were there before', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'a' })
    run(ledger, [{ type: 'cancelJob', ...to, job_id: 'a' }, submitOf({ depends_on: ['a'] })])
    expect(ledger.job()).toMatchObject({ state: 'FAILED_FINAL', error_code: 'DEPENDENCY_FAILED' })
  })

  it('those who wait for a job that the batch ended are told', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'a' })
    ledger.submit({ depends_on: ['a'] })
    run(ledger, [{ type: 'cancelJob', ...to, job_id: 'a' }, update('fetching')])
    ledger.pass(0)
    expect(ledger.job().state).toBe('FAILED_FINAL')
  })

  it('A9: a place in flight that the batch gave up can be taken in it', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'a', inFlightLimit: 1 })
    run(ledger, [{ type: 'cancelJob', ...to, job_id: 'a' }, submitOf({ inFlightLimit: 1 })])
    expect(ledger.job().state).toBe('QUEUED')
    expect(ledger.used(IN_FLIGHT)).toBe(1)
  })

  it('A4: a request that is twice in a batch is one job', () => {
    const ledger = new KernelLedger()
    const again = { job_id: 'j2', idempotency_hash: 'hash-of-j1', payload: { about: 'j1' } }
    expect(run(ledger, [submitOf(), submitOf(again)])).toEqual([
      { job_id: 'j1', duplicate: false, differing: [] },
      { job_id: 'j1', duplicate: true, differing: [] },
    ])
    expect(ledger.get('job', 't1', 'j2')).toBeNull()
  })

  it('A4: the same batch again creates nothing', () => {
    const ledger = new KernelLedger()
    const batch = [submitOf({ job_id: 'a' }), submitOf({ job_id: 'b', depends_on: ['a'] })]
    run(ledger, batch)
    const before = ledger.contents()
    expect(run(ledger, batch)).toMatchObject([{ duplicate: true }, { duplicate: true }])
    expect(ledger.contents()).toEqual(before)
  })

  it('an id for two requests is refused', () => {
    const other = submitOf({ idempotency_hash: 'other' })
    expect(new KernelLedger().batchRefusalOf([submitOf(), other]).code).toBe('JOB_EXISTS')
  })

  it('A9: jobs of one batch count towards the in-flight limit together', () => {
    const ledger = new KernelLedger()
    const batch = ['a', 'b', 'c'].map((job_id) => submitOf({ job_id, inFlightLimit: 2 }))
    expect(ledger.batchRefusalOf(batch).code).toBe('IN_FLIGHT_LIMIT')
    expect(ledger.used(IN_FLIGHT)).toBe(0)
    run(ledger, batch.slice(1))
    expect(ledger.used(IN_FLIGHT)).toBe(2)
  })
})

describe('A67: dependencies within a batch', () => {
  it('may be named in any order', () => {
    const ledger = new KernelLedger()
    const answers = run(ledger, [
      submitOf({ job_id: 'c', depends_on: ['b', 'a'] }),
      submitOf({ job_id: 'b', depends_on: ['a'] }),
      submitOf({ job_id: 'a' }),
    ])
    expect(answers).toEqual(['c', 'b', 'a'].map((job_id) => ({ job_id, duplicate: false, differing: [] })))
    expect(['a', 'b', 'c'].map((id) => ledger.job(id).waits_for)).toEqual([[], ['job:a'], ['job:b', 'job:a']])
  })

  it('may be jobs that are there already', () => {
    const ledger = new KernelLedger()
    ledger.submit({ job_id: 'old' })
    run(ledger, [submitOf({ depends_on: ['old'] })])
    expect(ledger.job().waits_for).toEqual(['job:old'])
  })

  it('of several tenants may use the same ids: no circle', () => {
    const ledger = new KernelLedger()
    const answers = run(ledger, [
      submitOf({ job_id: 'x', depends_on: ['a'] }),
      submitOf({ job_id: 'a' }),
      submitOf({ tenant_id: 't2', job_id: 'a', depends_on: ['x'] }),
      submitOf({ tenant_id: 't2', job_id: 'x' }),
    ])
    expect(answers).toHaveLength(4)
    expect(ledger.get('job', 't2', 'a')?.job.waits_for).toEqual(['job:x'])
  })

  it('a circle is refused by the names of its jobs, and of no other', () => {
    const ledger = new KernelLedger()
    const refusal = ledger.batchRefusalOf([
      submitOf({ job_id: 'before', depends_on: ['a'] }),
      submitOf({ job_id: 'a', depends_on: ['b'] }),
      submitOf({ job_id: 'b', depends_on: ['free', 'c'] }),
      submitOf({ job_id: 'c', depends_on: ['a'] }),
      submitOf({ job_id: 'free' }),
    ])
    expect(refusal).toMatchObject({
      code: 'DEPENDENCY_CYCLE',
      field: 'depends_on',
      message: 'These jobs of the batch wait for each other: a → b → c',
      details: { jobs: ['a', 'b', 'c'] },
    })
    expect(ledger.contents()).toEqual([])
  })

  it('a job that waits for itself is refused too', () => {
    expect(new KernelLedger().batchRefusalOf([submitOf({ depends_on: ['j1'] })])).toMatchObject({
      code: 'DEPENDENCY_CYCLE',
      details: { job_id: 'j1' },
    })
  })

  it('one that is nowhere is refused', () => {
    expect(new KernelLedger().batchRefusalOf([submitOf({ depends_on: ['nope'] })]).code).toBe(
      'DEPENDENCY_UNKNOWN',
    )
  })
})
