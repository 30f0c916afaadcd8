// What is put from the tail where it is found comes to the same as what was written there: any writes, to two ledgers of an engine,
// to one of them in place, to the other at the end of its log, from where they are folded some at a time.
import fc from 'fast-check'
import { expect } from 'vitest'
import { ALONE_KINDS } from '../../src/core/aggregate.ts'
import { entriesOf } from '../../src/store/tables/entry-codec.ts'
import { inRows } from '../../src/store/tables/in-rows.ts'
import type { ClosedRow, SlotWrite, WriteSet } from '../../src/store/tables/tables.ts'
import { formedPart } from '../../src/store/tables/tail/part-forms.ts'
import type { TailDriver } from '../../src/store/tables/tail/tail.ts'
import { alikeWrites } from './alike-writes.ts'
import { changedJob, chunkOf, document, entry, findOf, newJob, setOf, T0, wantedOf } from './sample-set.ts'

/** Names with whatever may be in one. */
const NAMES = ['a', 'b "c"', 'd\\e\\', 'f\\u0000g', 'é…\u2028', '"', "h'i", '\u{1f600}', 'tab\there']

const TENANTS = ['t', 'u "v" \\']
const QUEUE = 'q'
const LIMIT = 'limit "x"'

/** What one write does with one job: makes it, if it is not there, or moves it on. */
interface Step {
  readonly tenant: number
  readonly name: number
  readonly isReady: boolean
  readonly due: number | null
  readonly ends: boolean
  readonly isTold: boolean
  readonly document: number | null
  readonly names: boolean
  readonly closes: boolean
}

const steps = fc.array(
  fc.record<Step>({
    tenant: fc.nat(TENANTS.length - 1),
    name: fc.nat(NAMES.length - 1),
    isReady: fc.boolean(),
    due: fc.option(fc.nat(5)),
    ends: fc.boolean(),
    isTold: fc.boolean(),
    document: fc.option(fc.nat(NAMES.length - 1)),
    names: fc.boolean(),
    closes: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
)

export const anyWrites = fc.record({
  writes: fc.array(steps, { minLength: 1, maxLength: 6 }),
  characters: fc.constantFrom(1, 3000, 1_000_000),
})

export type Writes = typeof anyWrites extends fc.Arbitrary<infer W> ? W : never

interface Known {
  version: number
  isReady: boolean
  due: number | null
  isEnded: boolean
}

/** The writes of one ledger, each as it follows from those before it. */
class Writer {
  readonly #jobs = new Map<string, Known>()
  readonly #documents = new Map<string, number>()
  #named = 0
  #nth = 0

  write(all: readonly Step[]): WriteSet {
    this.#nth++
    const steps = all.filter(
      (step, index) =>
        all.findIndex((other) => nameOf(other) === nameOf(step)) === index && !this.#isEnded(step),
    )
    const parts = steps.map((step) => this.#job(step))
    const documents = [...new Set(all.flatMap((step) => step.document ?? []))]
    const slots: SlotWrite[] = []
    if (steps.length > 0) slots.push(this.#slot(all.some(({ names }) => names)))
    return setOf({
      at: T0 + this.#nth,
      newJobs: parts.flatMap(({ born }) => born ?? []),
      jobs: parts.flatMap(({ changed }) => changed ?? []),
      records: documents.map((nth) => this.#document(NAMES[nth] as string)),
      rows: all
        .filter(({ closes }) => closes)
        .slice(0, 1)
        .map((step) => this.#row(step)),
      claims: parts.flatMap(({ claim }) => claim ?? []),
      slots,
      ready: {
        adds: parts.flatMap((part) => part.ready ?? []),
        drops: parts.flatMap((p) => p.unready ?? []),
      },
      due: {
        adds: parts.flatMap((part) => part.due ?? []),
        drops: parts.flatMap((part) => part.undue ?? []),
      },
      counts: [{ tenant_id: 't', kind: 'job', state: 'QUEUED', n: this.#nth }],
      chunk: chunkOf(entry(`entry ${this.#nth}`), entry(NAMES[this.#nth % NAMES.length] as string)),
    })
  }

  #isEnded(step: Step): boolean {
    return this.#jobs.get(nameOf(step))?.isEnded === true
  }

  #job(step: Step) {
    const tenant_id = TENANTS[step.tenant] as string
    const job_id = NAMES[step.name] as string
    const before = this.#jobs.get(nameOf(step))
    const version = (before?.version ?? 0) + 1
    const dueAt = step.due === null ? null : T0 + 1000 * step.due
    const own = { tenant_id, version, isTold: step.isTold, is_ended: step.ends, changed_at: T0 + this.#nth }
    const state = step.ends ? 'SUCCEEDED' : 'QUEUED'
    const holds = step.isReady ? [LIMIT] : []
    const moving = `{"job":{"n":${this.#nth},"text":"\\u0000 é"}}`
    this.#jobs.set(nameOf(step), { version, isReady: step.isReady, due: dueAt, isEnded: step.ends })
    const place = { queue: QUEUE, tenant_id, group: '', rank: 7 + step.tenant, job_id }
    const wasReady = before?.isReady === true
    const wasDue = before?.due ?? null
    return {
      born: before === undefined ? newJob(job_id, { ...own, state, holds, doc_id: 'doc' }) : null,
      changed:
        before === undefined ? null : changedJob(job_id, before.version, { ...own, state, holds, moving }),
      claim: before === undefined ? { tenant_id, key: `key ${job_id}`, owner: job_id } : null,
      ready: step.isReady && !wasReady ? place : null,
      unready: !step.isReady && wasReady ? place : null,
      due: dueAt !== null && dueAt !== wasDue ? { due_at: dueAt, tenant_id, job_id } : null,
      undue: wasDue !== null && dueAt !== wasDue ? { due_at: wasDue, tenant_id, job_id } : null,
    }
  }

  #document(id: string) {
    const from = this.#documents.get(id) ?? 0
    this.#documents.set(id, from + 1)
    const adapter = NAMES[(this.#nth + from) % NAMES.length] as string
    return document(id, from, { adapter, changed_at: T0 + this.#nth })
  }

  #row(step: Step): ClosedRow {
    const tenant_id = TENANTS[step.tenant] as string
    const own = { tenant_id, outbox_id: `row ${step.name}`, job_id: NAMES[step.name] as string, step_id: 's' }
    const record = {
      kind: 'outbox',
      ...own,
      state: 'SENT',
      updated_at: new Date(T0 + this.#nth).toISOString(),
    }
    return { ...own, state: 'SENT', changed_at: T0 + this.#nth, body: JSON.stringify(record) }
  }

  #slot(isNamed: boolean): SlotWrite {
    const named = isNamed ? ([[`lease ${this.#nth}`, T0]] as const) : null
    const from = this.#named
    if (isNamed) this.#named++
    return { tenant_id: 't', key: LIMIT, add: this.#nth, most: null, named, from }
  }
}

function nameOf({ tenant, name }: Step): string {
  return `${tenant} ${name}`
}

/** What these steps write, and before them jobs that are alike. */
async function setsOf({ writes }: Writes): Promise<readonly WriteSet[]> {
  const writer = new Writer()
  const alike = await alikeWrites((nth) => `${NAMES[nth % NAMES.length]} ${nth}`)
  return [...alike, ...writes.map((steps) => writer.write(steps))]
}

async function appendAll({ tail }: TailDriver, sets: readonly WriteSet[]): Promise<void> {
  let mark = await tail.mark()
  const { seq: before } = mark
  for (const set of sets) {
    const formed = formedPart(set)
    if (formed !== null) await tail.keepForm(formed.form)
    const options = { onSeen: () => false, isAwaited: true, isAlone: true, formed }
    const { head } = await tail.append(set, mark, options)
    mark = { ...mark, seq: head.seq }
  }
  expect(await tail.end()).toEqual(mark)
  expect(await tail.since({ ...mark, seq: before })).toHaveLength(sets.length)
}

export async function comesToTheSame(
  { inPlace, tailed }: { readonly inPlace: TailDriver; readonly tailed: TailDriver },
  given: Writes,
): Promise<void> {
  const sets = await setsOf(given)
  for (const set of sets) await inPlace.write(inRows(set))
  await appendAll(tailed, sets)
  while (!(await tailed.tail.fold(given.characters)).isAll);
  const [found, expected] = await Promise.all([foundIn(tailed), foundIn(inPlace)])
  expect({ ...found, told: [] }).toEqual({ ...expected, told: [] })
  // Parts of the log that follow each other may have become one: it tells of more, and of all the same.
  for (const [nth, told] of expected.told.entries())
    expect(found.told[nth]).toEqual(expect.arrayContaining(told))
}

/** What was put in its place without waiting for the disk, some of it or all, is there once after a crash. */
export async function survivesCrash(
  { inPlace, tailed }: { readonly inPlace: TailDriver; readonly tailed: TailDriver },
  given: Writes,
  crashed: () => Promise<{ readonly inPlace: TailDriver; readonly tailed: TailDriver }>,
): Promise<void> {
  const sets = await setsOf(given)
  await appendAll(tailed, sets)
  for (const set of sets) await inPlace.write(inRows(set))
  expect((await tailed.tail.fold(given.characters, true)).mayReturn).toBe(true)
  const after = await crashed()
  while (!(await after.tailed.tail.fold(given.characters)).isAll);
  const [found, expected] = await Promise.all([foundIn(after.tailed), foundIn(after.inPlace)])
  expect({ ...found, told: [] }).toEqual({ ...expected, told: [] })
}

/** Everything that is found in a ledger. */
async function foundIn(tables: TailDriver) {
  const { seq, at, records } = await tables.head()
  const find = findOf({ limit: 1000 })
  const jobs = await tables.findJobs(find)
  const chunks = await tables.chunks({
    tags: [],
    from: undefined,
    before: undefined,
    seq: 0,
    isDescending: false,
    limit: 1000,
  })
  const placesAbout = async (job_id: string, tenant_id: string) => {
    const ids = await tables.chunksAbout({
      tenant_id,
      kind: 'job',
      id: job_id,
      job_id: undefined,
      doc_id: undefined,
    })
    const select = {
      ids,
      tags: [],
      from: undefined,
      before: undefined,
      seq: 0,
      isDescending: false,
      limit: 1000,
    }
    return (await tables.chunks(select)).flatMap(({ entries }) => entriesOf(entries))
  }
  return {
    head: { seq, at, records },
    jobs,
    told: await Promise.all(
      jobs.filter((_, nth) => nth % 10 === 0).map(({ job_id, tenant_id }) => placesAbout(job_id, tenant_id)),
    ),
    records: await Promise.all(ALONE_KINDS.map((kind) => tables.findRecords(kind, find))),
    rows: await tables.findOutbox(find),
    steps: await tables.findSteps(find),
    claims: await tables.claims(null, 1000),
    slots: (await tables.load(wantedOf({ slots: [{ tenant_id: 't', key: LIMIT }] }))).slots,
    holders: await tables.holders(TENANTS.map((tenant_id) => ({ tenant_id, key: LIMIT }))),
    ready: (await tables.heads({ queues: [QUEUE], perGroup: 1000 })).map(({ job_id }) => job_id),
    due: await tables.nextDue(),
    counts: (await tables.counts()).map(({ n, ...of }) => `${JSON.stringify(of)} ${n}`).sort(),
    entries: chunks.flatMap(({ entries }) => entriesOf(entries)),
  }
}

/** What people with SQL look at, whether it is where it is found or at the end of the log. */
export async function isShownTheSame(
  tailed: TailDriver,
  given: Writes,
  shown: (view: string) => Promise<readonly object[]>,
): Promise<void> {
  await appendAll(tailed, await setsOf(given))
  const all = () =>
    Promise.all(VIEWS.map(async (view) => (await shown(view)).map((row) => JSON.stringify(row)).sort()))
  const before = await all()
  for (const view of before.slice(0, 2)) expect(view).not.toHaveLength(0)
  while (!(await tailed.tail.fold(20_000)).isAll) expect(await all()).toEqual(before)
  expect(await all()).toEqual(before)
}

const VIEWS = ['jobs', 'steps', 'outbox', 'documents', 'events', 'step_attempts'] as const
