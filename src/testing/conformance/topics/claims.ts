import assert from 'node:assert/strict'
import { idOf } from '../../../core/aggregate.ts'
import type { SubmitJob } from '../../../core/job/commands.ts'
import type { Topic } from '../check.ts'
import { moveDocument, onJob, submitJob, TENANT } from '../commands.ts'
import { createGroup } from '../group-commands.ts'
import { PUSHED } from '../protocols.ts'
import { claimKey } from '../raw-decisions.ts'
import { auditAll, findAll, moves } from '../reading.ts'
import type { Scene } from '../scene.ts'
import { succeed } from '../work.ts'

/** One request, under whatever id a client gives the job it hopes for. */
function sameRequest(job_id: string, more: Partial<SubmitJob> = {}): SubmitJob {
  return submitJob(job_id, { input_ref: 'in', output_ref: 'out', payload: { same: true }, ...more })
}

async function ownerOf(scene: Scene, key: string, tenant_id = TENANT): Promise<string> {
  const outcome = await scene.store.transact([], claimKey(key, 'nobody', tenant_id))
  assert(outcome.ok)
  return outcome.answer
}

export const claims: Topic = {
  topic: 'claims',
  checks: [
    {
      name: 'gives a key to the first who claims it, and names them to everybody else',
      async run(scene) {
        const claim = (owner: string) => scene.store.transact([], claimKey('k', owner))
        assert.deepEqual(await claim('first'), { ok: true, answer: 'first' })
        assert.deepEqual(await claim('second'), { ok: true, answer: 'first' })
        assert.deepEqual(await claim('first'), { ok: true, answer: 'first' })
      },
    },
    {
      name: 'tells who owns a key without claiming it',
      async run(scene) {
        const claim = { tenant_id: TENANT, key: 'k' }
        assert.equal(await scene.store.ownerOf(claim), null)
        await scene.store.transact([], claimKey('k', 'first'))
        assert.equal(await scene.store.ownerOf(claim), 'first')
        assert.equal(await scene.store.ownerOf({ ...claim, tenant_id: 'Zeta' }), null)
        await scene.store.maintain()
        assert.equal(await scene.store.ownerOf(claim), 'first')
      },
    },
    {
      name: 'knows an update of a document by its key, whoever repeats it and whenever',
      async run(scene) {
        const move = moveDocument('d', 'fetching', { request_key: 'k' })
        const stores = await scene.writers()
        const racing = Array.from({ length: 6 }, (_, i) => scene.do(move, stores[i % stores.length]))
        const answers = await Promise.all(racing)
        assert.equal(new Set(answers.map(({ etag }) => etag)).size, 1)
        const later = await scene.do(moveDocument('d', 'fetched'))
        assert.deepEqual(await scene.do(move), later)
        await scene.store.maintain()
        if (scene.subject.reopen !== undefined) await scene.reopen()
        assert.deepEqual(await scene.do(move), later)
        const other = await scene.act(moveDocument('e', 'fetching', { request_key: 'k' }))
        assert.equal(other.ok ? null : other.refusal.code, 'IDEMPOTENCY_CONFLICT')
        assert.equal(await scene.store.get({ kind: 'document', tenant_id: TENANT, id: 'e' }), null)
        await scene.do(moveDocument('d', 'fetching', { request_key: 'k', tenant_id: 'Zeta' }))
        const told = await auditAll(scene.store, { kind: 'document', id: 'd', tenant_id: TENANT })
        assert.deepEqual(moves(told.filter(({ event }) => event === 'moved')), [
          'document d: pending → fetching',
          'document d: fetching → fetched',
        ])
        assert.equal(told.filter(({ event }) => event === 'ignored').length, answers.length - 1 + 2)
      },
    },
    {
      name: 'makes one run for a key, under one id, whoever asks and whenever',
      async run(scene) {
        const stores = await scene.writers()
        const make = (n: number) => createGroup('run', `made-up-${n}`, { request_key: 'k', isFreshId: true })
        const racing = Array.from({ length: 6 }, (_, n) => scene.do(make(n), stores[n % stores.length]))
        const ids = new Set((await Promise.all(racing)).map((run) => idOf(run)))
        assert.equal(ids.size, 1)
        await scene.store.maintain()
        if (scene.subject.reopen !== undefined) await scene.reopen()
        assert.deepEqual(new Set([idOf(await scene.do(make(9)))]), ids)
        assert.equal((await findAll(scene.store, { kind: 'run' })).length, 1)
        assert.equal((await auditAll(scene.store, { kind: 'run' })).length, 1)
      },
    },
    {
      name: 'A53 gives a document’s own key to one job, whoever asks and however often',
      async run(scene) {
        const stores = await scene.writers()
        const racing = Array.from({ length: 10 }, (_, i) =>
          scene.do(submitJob(`j${i}`, { doc_key: 'isbn:1' }), stores[i % stores.length]),
        )
        const answers = await Promise.all(racing)
        const [first] = new Set(answers.map(({ job_id }) => job_id))
        assert.deepEqual(
          answers.map(({ job_id }) => job_id),
          answers.map(() => first),
        )
        assert.equal(answers.filter(({ duplicate }) => !duplicate).length, 1)
        assert.equal((await findAll(scene.store, { kind: 'job' })).length, 1)
        const theirs = await scene.do(submitJob('theirs', { doc_key: 'isbn:1', tenant_id: 'Zeta' }))
        assert.equal(theirs.duplicate, false)
        await scene.do(onJob('cancelJob', first ?? ''))
        await scene.store.maintain()
        assert.equal((await scene.do(submitJob('late', { doc_key: 'isbn:1' }))).job_id, first)
      },
    },
    {
      name: 'keeps keys of tenants apart',
      async run(scene) {
        await scene.store.transact([], claimKey('k', 'ours'))
        assert.equal(await ownerOf(scene, 'k', 'Zeta'), 'nobody')
        assert.equal(await ownerOf(scene, 'k'), 'ours')
        assert.equal(await ownerOf(scene, 'K'), 'nobody', 'keys are exact')
      },
    },
    {
      name: 'gives a key to one of many who claim it at once',
      async run(scene) {
        const stores = await scene.writers()
        const racing = Array.from({ length: 20 }, (_, i) => {
          const store = stores[i % stores.length] ?? scene.store
          return store.transact([], claimKey('k', `racer-${i}`))
        })
        const outcomes = await scene.within(Promise.all(racing), 'twenty racers')
        const answers = new Set(outcomes.map((outcome) => (outcome.ok ? outcome.answer : 'refused')))
        assert.equal(answers.size, 1)
        assert.match([...answers].join(), /^racer-\d+$/)
      },
    },
    {
      name: 'A4 answers the same request with the same job, and creates nothing',
      async run(scene) {
        const first = await scene.do(sameRequest('first', { protocol: PUSHED }))
        assert.deepEqual(first, { job_id: 'first', duplicate: false, differing: [] })
        const before = await auditAll(scene.store)
        const second = await scene.do(sameRequest('second', { protocol: PUSHED }))
        assert.deepEqual(second, { job_id: 'first', duplicate: true, differing: [] })
        assert.equal(await scene.store.get({ kind: 'job', tenant_id: TENANT, id: 'second' }), null)
        assert.equal((await findAll(scene.store, { kind: 'step' })).length, 2)
        assert.equal((await findAll(scene.store, { kind: 'outbox' })).length, 1)
        assert.deepEqual(await auditAll(scene.store), before)
      },
    },
    {
      name: 'A4 makes one job of a hundred identical submits at once',
      async run(scene) {
        const stores = await scene.writers()
        const submits = Array.from({ length: 100 }, (_, i) =>
          scene.do(sameRequest(`j${i}`, { protocol: PUSHED, inFlightLimit: 2 }), stores[i % stores.length]),
        )
        const answers = await scene.within(Promise.all(submits), 'a hundred submits')
        assert.equal(new Set(answers.map(({ job_id }) => job_id)).size, 1)
        assert.equal(answers.filter(({ duplicate }) => !duplicate).length, 1)
        const counted = []
        for (const kind of ['job', 'step', 'outbox'] as const) {
          counted.push((await findAll(scene.store, { kind })).length)
        }
        assert.deepEqual(counted, [1, 2, 1])
        const born = await auditAll(scene.store, { kind: 'job', state: 'QUEUED' })
        assert.equal(born.length, 1)
        // One slot is taken, not a hundred: there is room for one more job.
        await scene.do(submitJob('other', { inFlightLimit: 2 }))
        assert.equal(
          (await scene.refusalOf(submitJob('third', { inFlightLimit: 2 }))).code,
          'IN_FLIGHT_LIMIT',
        )
      },
    },
    {
      name: 'A7 answers a known key with its job, also at the limit, and says what differs',
      async run(scene) {
        const limit = { inFlightLimit: 1 }
        await scene.do(submitJob('first', { idempotency_key: 'k', ...limit }))
        const again = await scene.do(
          submitJob('second', { idempotency_key: 'k', payload: { other: 1 }, ...limit }),
        )
        assert.deepEqual([again.job_id, again.duplicate], ['first', true])
        assert.deepEqual(again.differing.toSorted(), ['input_ref', 'output_ref', 'payload'])
        const strict = await scene.refusalOf(
          submitJob('third', { idempotency_key: 'k', strictIdempotency: true, ...limit }),
        )
        assert.equal(strict.code, 'IDEMPOTENCY_CONFLICT')
      },
    },
    {
      name: 'A4 knows a request long after its job has ended',
      async run(scene) {
        await scene.do(sameRequest('first'))
        await succeed(scene, 'first')
        await scene.pass(40 * 24 * 60 * 60 * 1000)
        const again = await scene.do(sameRequest('second'))
        assert.deepEqual([again.job_id, again.duplicate], ['first', true])
      },
    },
    {
      name: 'tells every claim and its owner, also after compaction and when it is opened again',
      async run(scene) {
        for (let n = 0; n < 5; n++) await scene.do(submitJob(`j${n}`, { idempotency_key: `k${n}` }))
        await scene.do(submitJob('j', { idempotency_key: 'k', tenant_id: 'Zeta' }))
        await succeed(scene, 'j1')
        await scene.refusalOf(submitJob('refused', { idempotency_key: 'none', inFlightLimit: 1 }))
        const owners = async () => {
          const claims = await Array.fromAsync(scene.store.claims())
          return new Set(claims.map(({ tenant_id, key, owner }) => `${tenant_id} ${key} ${owner}`))
        }
        const expected = new Set([
          ...Array.from({ length: 5 }, (_, n) => `${TENANT} key:k${n} j${n}`),
          'Zeta key:k j',
        ])
        assert.deepEqual(await owners(), expected)
        await scene.store.maintain()
        await scene.do(submitJob('later', { idempotency_key: 'later' }))
        expected.add(`${TENANT} key:later later`)
        assert.deepEqual(await owners(), expected)
        if (scene.subject.reopen !== undefined) await scene.reopen()
        assert.deepEqual(await owners(), expected)
      },
    },
    {
      name: 'leaves the key free when the submit is refused',
      async run(scene) {
        await scene.do(submitJob('full', { inFlightLimit: 1 }))
        const request = submitJob('j', { idempotency_key: 'k', inFlightLimit: 1 })
        assert.equal((await scene.refusalOf(request)).code, 'IN_FLIGHT_LIMIT')
        await scene.do(onJob('cancelJob', 'full'))
        assert.equal((await scene.do(request)).duplicate, false)
      },
    },
  ],
}
