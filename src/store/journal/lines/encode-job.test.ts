import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JobAggregate, LedgerRecord, RecordKey } from '../../../core/aggregate.ts'
import type { AuditEntry } from '../../../core/audit.ts'
import { decide } from '../../../core/command.ts'
import { type Change, change as changeOf } from '../../../core/decision.ts'
import type { JobCommand } from '../../../core/job/commands.ts'
import { onJob, report, SUCCESS, submitJob } from '../../../testing/conformance/commands.ts'
import { LIMITED, MIXED, PUSHED } from '../../../testing/conformance/protocols.ts'
import { LiveState } from '../../live/live-state.ts'
import { BatchBuffer } from '../batch-buffer.ts'
import { parseBatches } from '../delta/parse-batches.ts'
import { decodeLine } from './decode.ts'
import { type Encodable, encodeCommit, type Nths } from './encode.ts'
import { encodeGroups } from './encode-groups.ts'
import { encodeJob } from './encode-job.ts'
import type { ReadLine } from './line.ts'

const NOW = 1_735_787_045_678
const TENANT = 'acme'

const OTHER_STATES = { job: ['CANCELLING'], step: ['FAILED_RETRY'], outbox: ['PENDING'] }

/** What a decision on what is in memory changes. */
function decided(live: LiveState, command: JobCommand, now = NOW): Change {
  let id = 0
  const decision = decide(command, {
    now,
    ids: { next: () => `id-${now}-${id++}` },
    get: (kind, tenant_id, key) => live.decided(kind, tenant_id, key),
    ownerOf: () => undefined,
    isFull: () => false,
  })
  if (decision.kind !== 'change') throw new Error(JSON.stringify(decision))
  return decision.change
}

/** The lines that a change makes, as they are read again. */
function linesOf(commit: Encodable, encode: typeof encodeCommit = encodeCommit): readonly ReadLine[] {
  const buffer = new BatchBuffer(commit.first)
  encode(commit, buffer)
  const { batches, trouble } = parseBatches(Buffer.from(buffer.finish()), 0, commit.first)
  expect(trouble).toBeNull()
  return batches.flatMap(({ lines }) => lines)
}

function commitOf(live: LiveState, change: Change, first: number, nths?: Nths): Encodable {
  for (const put of change.puts) put.etag = String(first)
  return { change, audit: change.audit, first, moves: live.decide(change), nths }
}

/** Everything that lines say, with what was there before. */
function told(lines: readonly ReadLine[], before: LiveState): Change {
  const changes = lines.map(({ line, entries }) => {
    const current = (key: RecordKey<never>) => before.record(key)
    return decodeLine(line, entries, current as never)?.change as Change
  })
  return {
    puts: changes.flatMap(({ puts }) => puts),
    audit: changes.flatMap(({ audit }) => audit),
    claims: changes.flatMap(({ claims }) => claims),
    slots: changes.flatMap(({ slots }) => slots),
    signals: changes.flatMap(({ signals }) => signals),
  }
}

function mustTell(live: LiveState, change: Change, first: number): readonly ReadLine[] {
  const lines = linesOf(commitOf(live, change, first))
  const { puts, ...rest } = told(lines, live)
  expect(rest).toEqual({ ...change, puts: undefined, audit: change.audit })
  expect(puts.toSorted(byKind)).toEqual([...change.puts].sort(byKind))
  return lines
}

function byKind(a: LedgerRecord, b: LedgerRecord): number {
  return JSON.stringify([a.kind, 'step_index' in a ? a.step_index : 0]) < JSON.stringify([b.kind]) ? -1 : 1
}

function settled(live: LiveState, change: Change, etag: string): void {
  live.apply(change, etag)
}

describe('a line about a job, in short', () => {
  it('tells all that happened, from submit to the end', () => {
    for (const protocol of [LIMITED, MIXED, PUSHED]) {
      const live = new LiveState()
      let now = NOW
      let seq = 1
      const run = (command: JobCommand) => {
        now += 1234
        const change = decided(live, command, now)
        const before = live.aggregate('job', TENANT, 'j')
        mustTell(live, change, seq)
        live.takeBack(live.decide(change))
        expect(live.aggregate('job', TENANT, 'j')).toBe(before)
        settled(live, change, String(seq))
        seq += 20
        return live.aggregate('job', TENANT, 'j') as JobAggregate
      }
      run(submitJob('j', { protocol, tags: ['a'], doc_id: 'doc:1', priority: 0, idempotency_key: 'k"' }))
      for (let round = 0; round < 20; round++) {
        const { job, steps } = live.aggregate('job', TENANT, 'j') as JobAggregate
        if (job.completed_at !== null) break
        const step = steps[job.current_step_index]
        // Somebody else's scheduler runs it.
        if (step === undefined || step.delivery === 'external') break
        if (step.state === 'IN_PROGRESS') run(report(step, SUCCESS))
        else if (step.delivery === 'pull') run(onJob('claimStep', 'j'))
        else if (step.state === 'DISPATCHING') {
          run(onJob('takeOutbox', 'j'))
          const { outbox } = live.aggregate('job', TENANT, 'j') as JobAggregate
          run({
            ...onJob('cancelJob', 'j'),
            type: 'recordSent',
            outbox_id: outbox[0]?.outbox_id ?? '',
          } as never)
        } else run({ ...report(step, SUCCESS), type: 'ackStep' } as never)
      }
    }
  })

  it('loses no field of any record, also none that nobody has thought of yet', () => {
    const odd = ['other', 7, null, ['x'], { a: { b: 1 } }, true, 'ü"\n'] as const
    const valuesOf = (kind: 'job' | 'step' | 'outbox', field: string): readonly unknown[] => {
      if (field === 'state') return OTHER_STATES[kind]
      // What a job waits for is an index of its own, which takes lists.
      return field === 'waits_for' ? [['x']] : odd
    }
    const fresh = decided(new LiveState(), submitJob('j', { protocol: PUSHED }))
    for (const kind of ['job', 'step', 'outbox'] as const) {
      const fields = [...Object.keys(fresh.puts.find((put) => put.kind === kind) as object), 'unheard_of']
      const names = ['kind', 'tenant_id', 'job_id', 'etag', 'step_id', 'outbox_id', 'step_index']
      for (const field of fields.filter((name) => !names.includes(name))) {
        for (const value of valuesOf(kind, field)) {
          const puts = fresh.puts.map((put) => (put.kind === kind ? { ...put, [field]: value } : put))
          // As a record that is new, and as one that was there.
          mustTell(new LiveState(), { ...fresh, puts } as Change, 5)
          const live = new LiveState()
          settled(live, { ...fresh, puts: fresh.puts.map((put) => ({ ...put })) }, '1')
          mustTell(live, { ...fresh, claims: [], puts } as Change, 9)
        }
      }
    }
  })

  it('names whom a claim, a slot or a signal belongs to, if it is somebody else', () => {
    const live = new LiveState()
    const change = decided(live, submitJob('j'))
    const others: Partial<Change> = {
      claims: [
        ...change.claims,
        { tenant_id: 'other', key: 'k', owner: 'j' },
        { tenant_id: TENANT, key: 'l', owner: 'x' },
      ],
      slots: [
        ...change.slots,
        { tenant_id: 'other', key: 'k', verb: 'take', owner: 'lease', max: 2, until: 99 },
        { tenant_id: TENANT, key: 'k', verb: 'release', owner: 'x' },
      ],
      signals: [
        { tenant_id: TENANT, topic: 'job:j' },
        { tenant_id: 'other', topic: 'job:j' },
      ],
    }
    const [line] = mustTell(live, { ...change, ...others }, 3)
    const text = Buffer.from(line?.bytes ?? []).toString()
    expect(text).toContain('"claims":[{"key":"request:')
    expect(text).toContain('{"key":"l","owner":"x"}')
  })

  it('has further entries with what is not as in the first', () => {
    const live = new LiveState()
    const change = decided(live, submitJob('j'))
    const [entry] = change.audit as [AuditEntry]
    const anyEntry = fc.record({
      kind: fc.constantFrom('job', 'step', 'outbox'),
      id: fc.constantFrom('j', 'j/read', 'j/other', 'row'),
      event: fc.constantFrom('moved', 'noted', 'ignored'),
      doc_id: fc.constantFrom(null, 'doc:1'),
      path: fc.array(fc.constantFrom('QUEUED', 'A"'), { minLength: 2, maxLength: 4 }),
      adapter: fc.constantFrom('read', ''),
      error_type: fc.constantFrom(null, 'E'),
      error_message: fc.constantFrom(null, 'm\n'),
      traceback: fc.constantFrom(null, 'at'),
      retry_count: fc.nat(1),
      max_retries: fc.nat(2),
      duration_seconds: fc.constantFrom(null, 0, 1.5),
      metadata: fc.constantFrom({ step_id: 'read' }, { step_id: 7 }, {}, { command: 'x', deep: { a: [1] } }),
      actor: fc.constantFrom('a', 'b'),
      reason: fc.constantFrom(null, 'because'),
    } as const)
    fc.assert(
      fc.property(fc.array(anyEntry, { minLength: 1, maxLength: 4 }), fc.boolean(), (all, counted) => {
        const audit = all.map((more) => ({ ...entry, ...more }) as AuditEntry)
        const nths = counted ? new Map(audit.map((one, index) => [one, index + 1])) : undefined
        const own = new LiveState()
        const fresh = { ...change, audit, puts: change.puts.map((put) => ({ ...put })) }
        const [line] = linesOf(commitOf(own, fresh, 3, nths))
        expect(line?.entries).toEqual(audit)
        expect(line?.line).toMatchObject(counted ? { nth: 1 } : {})
      }),
    )
  })
})

describe('what is not about one job alone', () => {
  it('is left to the way of all commits, which writes each job in short', () => {
    const live = new LiveState()
    const [a, b] = [decided(live, submitJob('a')), decided(live, submitJob('b'))]
    const both: Change = {
      puts: [...a.puts, ...b.puts],
      audit: [...a.audit, ...b.audit],
      claims: [...a.claims, ...b.claims],
      slots: [...a.slots, ...b.slots],
      signals: [],
    }
    const commit = commitOf(live, both, 1)
    expect(encodeJob(commit, new BatchBuffer(1))).toBeNull()
    const lines = linesOf(commit)
    expect(lines.map(({ line }) => ('new' in line ? Object.keys(line.new ?? {}) : []))).toEqual([
      ['steps', 'job'],
      ['steps', 'job'],
    ])
    expect(lines.map(({ line }) => ('claims' in line ? line.claims : null))).toEqual(['own', 'own'])
    expect(told(lines, new LiveState())).toEqual(both)
  })

  it('is written as it is by the way of all commits, when it is about one', () => {
    const live = new LiveState()
    const commit = commitOf(live, decided(live, submitJob('j')), 1)
    const texts = [encodeCommit, encodeGroups].map((encode) =>
      linesOf(commit, encode).map(({ bytes }) => Buffer.from(bytes).toString()),
    )
    expect(texts[0]).toEqual(texts[1])
  })

  it('is a job of which nothing is told, or nothing that moved it', () => {
    const live = new LiveState()
    const change = decided(live, submitJob('j'))
    const silent = commitOf(live, { ...change, audit: [] }, 1)
    const stranger = commitOf(
      new LiveState(),
      { ...change, audit: change.audit.map((entry) => ({ ...entry, tenant_id: 'other' })) },
      1,
    )
    const nothing = commitOf(new LiveState(), changeOf(null, { audit: change.audit }).change, 1)
    for (const commit of [silent, stranger, nothing]) {
      expect(encodeJob(commit, new BatchBuffer(1))).toBeNull()
    }
    expect(told(linesOf(silent), new LiveState()).puts).toEqual(change.puts)
  })
})
