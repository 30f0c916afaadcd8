import assert from 'node:assert/strict'
import type { AuditRecord } from '../../../core/audit.ts'
import type { AuditQuery } from '../../../store/query.ts'
import { START } from '../../../store/store.ts'
import type { Topic } from '../check.ts'
import { failure, moveDocument, onJob, report, SUCCESS, submitJob, TENANT } from '../commands.ts'
import { PUSHED } from '../protocols.ts'
import { auditAll, moves, plain, statesEntered } from '../reading.ts'
import type { Scene } from '../scene.ts'
import { claimJob } from '../work.ts'

/** A little of everything: two tenants, documents and jobs, a failure, a refusal, an ignored message. */
async function makeHistory(scene: Scene): Promise<void> {
  const error = { error_type: 'TimeoutError', error_message: 'too slow', traceback: 'at fetch' }
  await scene.do(moveDocument('d', 'fetching', { adapter: 'web', actor: 'ann', reason: 'new' }))
  await scene.pass(1000)
  await scene.do(moveDocument('d', 'failed', { actor: 'bob', error, metadata: { page: 3 } }))
  await scene.do(moveDocument('e', 'fetching', { adapter: 'disk', actor: 'bob' }))
  await scene.do(moveDocument('d', 'fetching', { tenant_id: 'Zeta', adapter: 'web', actor: 'ann' }))
  await scene.pass(1000)
  await scene.refusalOf(moveDocument('e', 'completed', { actor: 'ann' }))
  await scene.do(submitJob('j', { doc_id: 'd' }))
  await scene.do(report(await claimJob(scene, 'j'), failure('NON_RETRYABLE')))
  await scene.do(onJob('cancelJob', 'j'))
}

function sameIds(records: readonly AuditRecord[]): readonly string[] {
  return records.map(({ kind, id, event }) => `${kind} ${id} ${event}`)
}

export const audit: Topic = {
  topic: 'audit',
  checks: [
    {
      name: 'A32 tells of a change who, why, when, what went wrong and how long it took',
      async run(scene) {
        await makeHistory(scene)
        const now = scene.world.clock.now()
        const history = await auditAll(scene.store, { kind: 'document', id: 'd', tenant_id: TENANT })
        const told = history.map(({ seq, cursor, ...record }) => {
          assert.equal(typeof seq, 'number')
          assert.equal(typeof cursor, 'string')
          return plain(record)
        })
        const always = {
          event: 'moved',
          tenant_id: TENANT,
          kind: 'document',
          id: 'd',
          doc_id: 'd',
          job_id: null,
          adapter: 'web',
          retry_count: 0,
          max_retries: 3,
        }
        assert.deepEqual(told, [
          {
            ...always,
            old_state: 'pending',
            new_state: 'fetching',
            timestamp: (now - 2000) / 1000,
            error_type: null,
            error_message: null,
            traceback: null,
            duration_seconds: null,
            metadata: {},
            actor: 'ann',
            reason: 'new',
          },
          {
            ...always,
            old_state: 'fetching',
            new_state: 'failed',
            timestamp: (now - 1000) / 1000,
            error_type: 'TimeoutError',
            error_message: 'too slow',
            traceback: 'at fetch',
            duration_seconds: 1,
            metadata: { page: 3 },
            actor: 'bob',
            reason: null,
          },
        ])
      },
    },
    {
      name: 'A12 shows every state that was passed through, also within one commit',
      async run(scene) {
        await scene.do(submitJob('j', { protocol: { ...PUSHED, steps: PUSHED.steps.slice(0, 1) } }))
        const row = await scene.do(onJob('takeOutbox', 'j'))
        const step = await scene.store.get({ kind: 'step', tenant_id: TENANT, id: 'j/ocr' })
        assert(step !== null)
        // The result overtakes both the note that the directive was sent and the acknowledgement.
        await scene.do(report(step, SUCCESS))
        const entered = async (kind: 'job' | 'step' | 'outbox', id: string) =>
          statesEntered(await auditAll(scene.store, { kind, id, limit: 1 }))
        assert.deepEqual(await entered('step', 'j/ocr'), [
          'DISPATCHING',
          'AWAITING_ACK',
          'IN_PROGRESS',
          'SUCCEEDED',
        ])
        assert.deepEqual(await entered('job', 'j'), ['QUEUED', 'DISPATCHING', 'IN_PROGRESS', 'SUCCEEDED'])
        assert.deepEqual(await entered('outbox', row.outbox_id), ['SENT'])
        const whole = await auditAll(scene.store, { job_id: 'j' })
        assert.equal(whole.length, 9)
      },
    },
    {
      name: 'A33 filters by every field',
      async run(scene) {
        await makeHistory(scene)
        const all = await auditAll(scene.store)
        const now = scene.world.clock.now()
        const cases: readonly [AuditQuery, (record: AuditRecord) => boolean][] = [
          [{ tenant_id: 'Zeta' }, (r) => r.tenant_id === 'Zeta'],
          [{ kind: 'step' }, (r) => r.kind === 'step'],
          [{ kind: 'document', id: 'd' }, (r) => r.kind === 'document' && r.id === 'd'],
          [{ job_id: 'j' }, (r) => r.job_id === 'j'],
          [{ doc_id: 'd', tenant_id: TENANT }, (r) => r.doc_id === 'd' && r.tenant_id === TENANT],
          [{ state: 'fetching' }, (r) => r.new_state === 'fetching'],
          [{ adapter: 'web' }, (r) => r.adapter === 'web'],
          [{ adapter: 'read' }, (r) => r.adapter === 'read'],
          [{ error_type: 'TimeoutError' }, (r) => r.error_type === 'TimeoutError'],
          [{ error_type: 'BAD_PAGE' }, (r) => r.error_type === 'BAD_PAGE'],
          [{ actor: 'ann' }, (r) => r.actor === 'ann'],
          [{ event: 'refused' }, (r) => r.event === 'refused'],
          [{ event: 'ignored' }, (r) => r.event === 'ignored'],
          [{ from: now - 1000 }, (r) => r.timestamp * 1000 >= now - 1000],
          [{ before: now - 1000 }, (r) => r.timestamp * 1000 < now - 1000],
          [{ from: now - 1000, before: now }, (r) => r.timestamp * 1000 === now - 1000],
          [{ actor: 'ann', adapter: 'web', event: 'moved' }, (r) => r.actor === 'ann' && r.adapter === 'web'],
        ]
        for (const [query, matches] of cases) {
          const expected = all.filter(matches)
          assert(expected.length > 0, `the history has something for ${JSON.stringify(query)}`)
          assert(expected.length < all.length)
          const found = await auditAll(scene.store, { ...query, limit: 2 })
          const { order } = scene.store.capabilities
          assert.deepEqual(comparable(found, order), comparable(expected, order), JSON.stringify(query))
        }
        assert.deepEqual(await auditAll(scene.store, { id: 'nobody' }), [])
      },
    },
    {
      name: 'reads forwards and backwards, on pages of any size',
      async run(scene) {
        await makeHistory(scene)
        const query = { kind: 'document', tenant_id: TENANT, id: 'd' } as const
        for (const whole of [{}, query]) {
          const forwards = await auditAll(scene.store, whole)
          for (const limit of [1, 2, 3, 100]) {
            assert.deepEqual(await auditAll(scene.store, { ...whole, limit }), forwards)
            const backwards = await auditAll(scene.store, { ...whole, limit, direction: 'desc' })
            if (scene.store.capabilities.order === 'total') assert.deepEqual(backwards, forwards.toReversed())
            else assert.deepEqual(sortedBySeq(backwards), sortedBySeq(forwards))
          }
        }
        const moved = await auditAll(scene.store, { ...query, direction: 'desc', limit: 1 })
        assert.deepEqual(statesEntered(moved), ['failed', 'fetching'])
      },
    },
    {
      name: 'goes on after any record, from its own cursor',
      async run(scene) {
        await makeHistory(scene)
        const all = await auditAll(scene.store, {})
        assert.deepEqual(await auditAll(scene.store, { after: START }), all)
        if (scene.store.capabilities.order !== 'total') return
        for (const [i, { cursor }] of all.entries()) {
          const { items } = await scene.store.audit({ after: cursor, limit: 1000 })
          assert.deepEqual(items, all.slice(i + 1))
          const before = await scene.store.audit({ after: cursor, direction: 'desc', limit: 1000 })
          assert.deepEqual(before.items, all.slice(0, i).toReversed())
        }
      },
    },
    {
      name: 'numbers what happened in its order',
      async run(scene) {
        await makeHistory(scene)
        const all = await auditAll(scene.store)
        assert.equal(new Set(all.map(({ cursor }) => cursor)).size, all.length, 'a cursor is one place')
        const last = new Map<string, number>()
        for (const { kind, tenant_id, id, seq } of all) {
          const of = scene.store.capabilities.order === 'total' ? 'log' : `${kind} ${tenant_id} ${id}`
          assert(seq > (last.get(of) ?? Number.NEGATIVE_INFINITY), `seq grows along ${of}`)
          last.set(of, seq)
        }
      },
    },
    {
      name: 'goes on from a cursor while more happens',
      async run(scene) {
        const states = ['fetching', 'fetched', 'parsing', 'parsed'] as const
        for (const state of states.slice(0, 2)) await scene.do(moveDocument('d', state))
        const first = await scene.store.audit({ limit: 1 })
        for (const state of states.slice(2)) await scene.do(moveDocument('d', state))
        const rest = await scene.store.audit({ after: first.next ?? '' })
        assert.deepEqual(statesEntered([...first.items, ...rest.items]), states)
      },
    },
    {
      name: 'refuses cursors and limits that make no sense',
      async run(scene) {
        await makeHistory(scene)
        await assert.rejects(scene.store.audit({ after: 'nonsense' }), { code: 'BAD_CURSOR' })
        for (const limit of [0, -1, 1.5, Number.NaN]) {
          await assert.rejects(scene.store.audit({ limit }), { code: 'INVALID_INPUT' })
        }
      },
    },
    {
      name: 'keeps refused and ignored messages in the history of their record',
      async run(scene) {
        await makeHistory(scene)
        assert.deepEqual(sameIds(await auditAll(scene.store, { kind: 'document', id: 'e' })), [
          'document e moved',
          'document e refused',
        ])
        const job = await auditAll(scene.store, { kind: 'job', id: 'j' })
        assert.deepEqual(moves(job).at(-1), 'job j: FAILED_FINAL → FAILED_FINAL')
        assert.equal(job.at(-1)?.event, 'ignored')
      },
    },
  ],
}

/** Where there is no one order, a cursor says how far everything was read, and that depends on the question. */
function comparable(records: readonly AuditRecord[], order: 'total' | 'per-record'): readonly unknown[] {
  const sorted = sortedBySeq(records)
  return order === 'total' ? sorted : sorted.map(({ cursor: _, ...record }) => record)
}

/** Where each record has its own order, two readings of several records may come interleaved differently. */
function sortedBySeq(records: readonly AuditRecord[]): readonly AuditRecord[] {
  const name = ({ kind, tenant_id, id }: AuditRecord) => `${kind} ${tenant_id} ${id}`
  return records.toSorted((a, b) => (name(a) === name(b) ? a.seq - b.seq : name(a) < name(b) ? -1 : 1))
}
