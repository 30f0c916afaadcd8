import { describe, expect, it } from 'vitest'
import { submitOf } from '../../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import { withoutLoaded } from '../../../test/fixtures/not-loaded.ts'
import { decide } from '../command.ts'
import type { Given } from '../decision.ts'
import type { Machine } from '../machine.ts'
import { runMachine } from '../machines/run.ts'
import type { CreateGroup, FollowGroup, GroupFacts, GroupKind, MoveGroup } from './commands.ts'
import { pathOf } from './follow.ts'

const BY = { tenant_id: 't1', actor: 'ada', reason: null } as const

const NOTHING: GroupFacts = {
  started: false,
  open: false,
  ready: false,
  succeeded: false,
  failed: false,
  cancelled: false,
  sealed: false,
  run_sealed: false,
}

function create(ledger: KernelLedger, kind: GroupKind, id = 'g1'): void {
  ledger.run({
    type: 'createGroup',
    ...BY,
    kind,
    id,
    run_id: kind === 'run' ? null : 'r1',
    metadata: { a: 1 },
  })
}

function move(kind: GroupKind, state: MoveGroup['state']): MoveGroup {
  return { type: 'moveGroup', ...BY, kind, id: 'g1', state }
}

function follow(kind: GroupKind, facts: Partial<GroupFacts>): FollowGroup {
  return { type: 'followGroup', ...BY, kind, id: 'g1', facts: { ...NOTHING, ...facts } }
}

function seal(ledger: KernelLedger, kind: GroupKind, id = 'g1') {
  return ledger.run({ type: 'sealGroup', ...BY, kind, id })
}

describe('runs and workstreams', () => {
  it('A60: a run is pending until it runs, and is known by its id', () => {
    const ledger = new KernelLedger()
    create(ledger, 'run')
    expect(ledger.get('run', 't1', 'g1')).toMatchObject({
      state: 'pending',
      sealed: false,
      metadata: { a: 1 },
    })
    ledger.run(move('run', 'running'))
    expect(ledger.get('run', 't1', 'g1')?.state).toBe('running')
    const before = ledger.contents()
    ledger.run(move('run', 'running'))
    expect(ledger.contents()).toEqual(before)
    expect(
      ledger.refusalOf({ type: 'createGroup', ...BY, kind: 'run', id: 'g1', run_id: null, metadata: {} }),
    ).toMatchObject({
      code: 'RUN_EXISTS',
      field: 'run_id',
    })
  })

  it('A60: one that is not known is refused, whatever is asked, and nothing is made of it', () => {
    const ledger = new KernelLedger()
    for (const kind of ['run', 'workstream'] as const) {
      for (const command of [
        move(kind, 'running'),
        follow(kind, {}),
        { type: 'sealGroup', ...BY, kind, id: 'g1' } as const,
        { type: 'annotateGroup', ...BY, kind, id: 'g1', metadata: {}, event: null } as const,
      ]) {
        expect(ledger.refusalOf(command)).toMatchObject({ code: 'NOT_FOUND', field: `${kind}_id` })
      }
    }
    expect(ledger.contents()).toEqual([])
  })

  it('goes only where the machine lets it, and refusals are recorded', () => {
    const ledger = new KernelLedger()
    create(ledger, 'run')
    expect(ledger.refusalOf(move('run', 'succeeded'))).toMatchObject({
      code: 'INVALID_STATE_TRANSITION',
      details: { from: 'pending', to: 'succeeded', legal: ['running'] },
    })
    expect(ledger.last()).toMatchObject({ event: 'refused', path: ['pending', 'succeeded'] })
    ledger.run(move('run', 'running'))
    ledger.run(move('run', 'failed'))
    expect(ledger.refusalOf(move('run', 'running')).next).toBe('failed is final: nothing follows.')
    expect(ledger.get('run', 't1', 'g1')?.completed_at).not.toBeNull()
  })

  it('may be moved through what is in between, and stays as it is when it has ended', () => {
    const ledger = new KernelLedger()
    create(ledger, 'run')
    ledger.run({ ...move('run', 'cancelled'), through: true })
    expect(ledger.last()).toMatchObject({ path: ['pending', 'running', 'cancelled'] })
    const before = ledger.contents()
    ledger.run({ ...move('run', 'failed'), through: true })
    expect(ledger.contents()).toEqual(before)
    create(ledger, 'workstream')
    ledger.run({ ...move('workstream', 'running'), through: true })
    expect(ledger.refusalOf({ ...move('workstream', 'blocked'), through: true }).code).toBe(
      'INVALID_STATE_TRANSITION',
    )
  })

  it('minds etags', () => {
    const ledger = new KernelLedger()
    create(ledger, 'run')
    expect(ledger.refusalOf({ ...move('run', 'running'), if_match: 'other' })).toMatchObject({
      code: 'STALE_ETAG',
    })
    expect(ledger.refusalOf({ ...move('run', 'running'), id: 'none', if_match: 'x' })).toMatchObject({
      code: 'STALE_ETAG',
    })
    ledger.run({ ...move('run', 'running'), if_match: ledger.get('run', 't1', 'g1')?.etag })
    expect(ledger.get('run', 't1', 'g1')?.state).toBe('running')
  })

  it('tells what is said of it, also after its end, when nothing changes any more', () => {
    const ledger = new KernelLedger()
    create(ledger, 'run')
    const event = { event_type: 'deployed', payload: { to: 'test' } }
    ledger.run({ type: 'annotateGroup', ...BY, kind: 'run', id: 'g1', metadata: { a: null, b: 2 }, event })
    expect(ledger.get('run', 't1', 'g1')?.metadata).toEqual({ b: 2 })
    expect(ledger.last()).toMatchObject({ event: 'noted', metadata: { a: null, b: 2, ...event } })
    ledger.run(move('run', 'running'))
    ledger.run(move('run', 'cancelled'))
    const after = ledger.get('run', 't1', 'g1')
    ledger.run({ type: 'annotateGroup', ...BY, kind: 'run', id: 'g1', metadata: {}, event })
    expect(ledger.last()).toMatchObject({ event: 'noted', metadata: event })
    const more = {
      type: 'annotateGroup',
      ...BY,
      kind: 'run',
      id: 'g1',
      metadata: { c: 1 },
      event: null,
    } as const
    expect(ledger.refusalOf(more)).toMatchObject({ code: 'INVALID_STATE_TRANSITION', field: 'metadata' })
    seal(ledger, 'run')
    ledger.run(follow('run', { started: true, open: true }))
    expect(ledger.get('run', 't1', 'g1')).toBe(after)
  })

  const jobsEnded = { started: true, succeeded: true }
  it.each([
    ['run', false, {}, 'pending'],
    ['run', false, { open: true }, 'pending'],
    ['run', false, { open: true, started: true }, 'running'],
    ['run', false, jobsEnded, 'running'],
    ['run', true, { open: true, started: true, failed: true }, 'running'],
    ['run', true, {}, 'succeeded'],
    ['run', true, jobsEnded, 'succeeded'],
    ['run', true, { ...jobsEnded, cancelled: true }, 'cancelled'],
    ['run', true, { ...jobsEnded, cancelled: true, failed: true }, 'failed'],
    ['workstream', false, {}, 'pending'],
    ['workstream', false, { open: true }, 'blocked'],
    ['workstream', false, { open: true, ready: true }, 'ready'],
    ['workstream', false, { open: true, started: true }, 'running'],
    ['workstream', false, jobsEnded, 'running'],
    ['workstream', true, { open: true, started: true, succeeded: true }, 'running'],
    ['workstream', true, jobsEnded, 'succeeded'],
    ['workstream', false, { ...jobsEnded, run_sealed: true }, 'succeeded'],
    ['workstream', true, { ...jobsEnded, failed: true }, 'failed'],
    ['workstream', true, { ...jobsEnded, cancelled: true }, 'failed'],
    ['workstream', true, { started: true, cancelled: true }, 'failed'],
    ['workstream', true, {}, 'skipped'],
  ] as const)('a %s, sealed %s, whose jobs are %o is %s', (kind, sealed, facts, state) => {
    const ledger = new KernelLedger()
    create(ledger, kind)
    if (sealed) seal(ledger, kind)
    ledger.run(follow(kind, { ...facts, sealed }))
    expect(ledger.get(kind, 't1', 'g1')?.state).toBe(state)
    const before = ledger.contents()
    ledger.run(follow(kind, { ...facts, sealed }))
    expect(ledger.contents()).toEqual(before)
  })

  it('a workstream whose only job was begun with and then cancelled has failed', () => {
    // From running it cannot be skipped, and so it ran for ever.
    const ledger = new KernelLedger()
    create(ledger, 'workstream')
    ledger.run(follow('workstream', { open: true, started: true }))
    ledger.run(follow('workstream', { cancelled: true, run_sealed: true }))
    expect(ledger.get('workstream', 't1', 'g1')?.state).toBe('failed')
  })

  it('tells every state it passes through', () => {
    const ledger = new KernelLedger()
    create(ledger, 'workstream')
    ledger.run(follow('workstream', { open: true }))
    ledger.run(follow('workstream', { open: true, started: true }))
    expect(ledger.last()).toMatchObject({ path: ['blocked', 'ready', 'running'], metadata: { run_id: 'r1' } })
    expect(pathOf(runMachine as Machine<string>, 'failed', 'running')).toBeNull()
  })

  it('a job names a run and a workstream: they are made with it, and are then there', () => {
    const ledger = new KernelLedger()
    ledger.submit({ run_id: 'r1', workstream_id: 'w1' })
    expect(ledger.get('run', 't1', 'r1')).toMatchObject({ state: 'pending' })
    expect(ledger.get('workstream', 't1', 'w1')).toMatchObject({ state: 'pending', run_id: 'r1' })
    ledger.submit({ job_id: 'j2', workstream_id: 'w1' })
    expect(ledger.job('j2').run_id).toBe('r1')
    ledger.submit({ job_id: 'j3', workstream_id: 'w2' })
    expect(ledger.get('workstream', 't1', 'w2')?.run_id).toBeNull()
    expect(ledger.refusalOf(submitOf({ job_id: 'j4', run_id: 'r2', workstream_id: 'w1' }))).toMatchObject({
      code: 'RUN_CLOSED',
      field: 'workstream_id',
    })
  })

  it('what is sealed or over takes no more jobs', () => {
    const ledger = new KernelLedger()
    ledger.submit({ run_id: 'r1', workstream_id: 'w1' })
    seal(ledger, 'workstream', 'w1')
    expect(ledger.refusalOf(submitOf({ job_id: 'j2', workstream_id: 'w1' }))).toMatchObject({
      code: 'RUN_CLOSED',
    })
    ledger.submit({ job_id: 'j3', run_id: 'r1' })
    ledger.run({ type: 'moveGroup', ...BY, kind: 'run', id: 'r1', state: 'running' })
    ledger.run({ type: 'moveGroup', ...BY, kind: 'run', id: 'r1', state: 'failed' })
    expect(ledger.refusalOf(submitOf({ job_id: 'j4', run_id: 'r1' }))).toMatchObject({
      code: 'RUN_CLOSED',
      message: 'The run r1 is failed and takes no more jobs',
    })
    ledger.cancel('j3')
    const again = { type: 'runAgain', ...BY, job_id: 'j3', new_job_id: 'j5', from_step: null } as const
    expect(ledger.refusalOf({ ...again, idempotency_key: null, inFlightLimit: 9 })).toMatchObject({
      code: 'RUN_CLOSED',
    })
  })

  it('asks for what it has to know', () => {
    const ledger = new KernelLedger()
    const run = { kind: 'run', tenant_id: 't1', id: 'r1' }
    const workstream = { kind: 'workstream', tenant_id: 't1', id: 'w1' }
    const submit = submitOf({ run_id: 'r1', workstream_id: 'w1' })
    expect(decide(submit, withoutLoaded(ledger, 'run'))).toEqual({ kind: 'need', keys: [run] })
    expect(decide(submit, withoutLoaded(ledger, 'workstream'))).toEqual({ kind: 'need', keys: [workstream] })
    const neither = withoutLoaded(withoutLoaded(ledger, 'run'), 'workstream')
    expect(decide(submit, neither)).toEqual({ kind: 'need', keys: [workstream, run] })
    expect(decide(move('run', 'running'), withoutLoaded(ledger, 'run'))).toMatchObject({ kind: 'need' })
  })
})

describe('making one with a key', () => {
  const make = (kind: GroupKind, id: string, more: Partial<CreateGroup> = {}): CreateGroup => ({
    type: 'createGroup',
    ...BY,
    kind,
    id,
    run_id: kind === 'run' ? null : 'r1',
    metadata: {},
    request_key: 'k',
    ...more,
  })

  it.each(['run', 'workstream'] as const)(
    'makes one %s, and answers with it however often it is asked',
    (kind) => {
      const ledger = new KernelLedger()
      ledger.run(make(kind, 'made-up-1', { isFreshId: true, if_match: '' }))
      ledger.run({ ...move(kind, kind === 'run' ? 'running' : 'ready'), id: 'made-up-1' })
      const before = ledger.contents()
      const again = ledger.run(make(kind, 'made-up-2', { isFreshId: true, if_match: '' }))
      expect(again).toEqual(ledger.get(kind, 't1', 'made-up-1'))
      expect(ledger.run(make(kind, 'made-up-1'))).toEqual(again)
      expect(ledger.contents()).toEqual(before)
    },
  )

  it('is refused for another id and for another run, and not for another kind or tenant', () => {
    const ledger = new KernelLedger()
    ledger.run(make('workstream', 'w1'))
    for (const other of [{ id: 'w2' }, { run_id: 'r2' }]) {
      expect(ledger.refusalOf({ ...make('workstream', 'w1'), ...other })).toMatchObject({
        code: 'IDEMPOTENCY_CONFLICT',
        field: 'request_key',
        details: { kind: 'workstream', id: 'w1' },
      })
    }
    expect(ledger.run(make('run', 'w1'))).toMatchObject({ kind: 'run' })
    expect(ledger.run(make('workstream', 'w1', { tenant_id: 't2' }))).toMatchObject({ tenant_id: 't2' })
    expect(ledger.refusalOf(make('run', 'w1', { request_key: undefined })).code).toBe('RUN_EXISTS')
    expect(ledger.refusalOf(make('run', 'w1', { request_key: 'other' })).code).toBe('RUN_EXISTS')
  })

  it('asks for what was made before, when it was not loaded', () => {
    const ledger = new KernelLedger()
    ledger.run(make('run', 'first', { isFreshId: true }))
    const given = {
      now: 0,
      get: (_: string, __: string, id: string) => (id === 'first' ? undefined : null),
      ownerOf: () => 'first',
    }
    expect(decide(make('run', 'second', { isFreshId: true }), given as unknown as Given)).toEqual({
      kind: 'need',
      keys: [{ kind: 'run', tenant_id: 't1', id: 'first' }],
    })
  })
})
