// A ledger goes on while it is checked: what is read of it one after the other is not of one moment. So what does not
// match is held against what happened meanwhile, and only what that cannot explain is a contradiction. Where nothing
// happened, nothing is excused.
import { idOf, type LedgerRecord } from '../core/aggregate.ts'
import type { AuditRecord } from '../core/audit.ts'
import { machines, type RecordKind } from '../core/machines/all.ts'
import type { Finding } from './store.ts'

type Some<T> = Iterable<T> | AsyncIterable<T>

type Counts = { readonly [state: string]: number }

/** What has to tell the same story. */
export interface Checked {
  records(kind: RecordKind): Some<LedgerRecord>
  /** How many are in each state, as it is now. */
  counts(kind: RecordKind): Counts | Promise<Counts>
  /** What happened after a place. */
  history(after: number): Some<AuditRecord>
  /** The last place of the history, as it is now: what is in the records and counts by then is told up to there. */
  lastSeq(): number | Promise<number>
  /** Whether a record's history is looked at; of those that rest on a disk there may be too many. */
  isCompared(kind: RecordKind, tenant_id: string, id: string): boolean
  /** None is, so that there is no need to read all of it. */
  readonly isNoneCompared?: boolean
}

interface Suspect {
  readonly where: string
  readonly state: string
  readonly last: string
}

/** What was seen of the records of one kind, and between which places of the history. */
interface Look {
  readonly kind: RecordKind
  readonly from: number
  readonly to: number
  readonly suspects: readonly Suspect[]
  readonly there: Counts
  readonly before: Counts
  readonly after: Counts
}

/** Checks that records, counts and history tell the same story. */
export async function checkRecords(checked: Checked): Promise<readonly Finding[]> {
  const start = await checked.lastSeq()
  const told = await lastStates(checked, start)
  const looks: Look[] = []
  for (const kind of Object.keys(machines) as RecordKind[]) looks.push(await lookAt(checked, kind, told))
  const meanwhile = new Meanwhile(looks)
  for await (const record of readUpTo(checked, start, await checked.lastSeq())) meanwhile.add(record)
  return looks.flatMap((look) => [...contradictions(look, meanwhile), ...wrongCounts(look, meanwhile)])
}

async function lastStates(checked: Checked, until: number): Promise<ReadonlyMap<string, string>> {
  const told = new Map<string, string>()
  if (checked.isNoneCompared === true) return told
  for await (const { event, kind, tenant_id, id, new_state } of readUpTo(checked, 0, until)) {
    if (event !== 'moved' || !checked.isCompared(kind, tenant_id, id)) continue
    told.set(nameOf(kind, tenant_id, id), new_state)
  }
  return told
}

/** No further: whoever writes could be as fast. */
async function* readUpTo({ history }: Checked, after: number, until: number): AsyncGenerator<AuditRecord> {
  if (after >= until) return
  for await (const record of history(after)) {
    if (record.seq > until) return
    yield record
  }
}

async function lookAt(checked: Checked, kind: RecordKind, told: ReadonlyMap<string, string>): Promise<Look> {
  const from = await checked.lastSeq()
  const before = await checked.counts(kind)
  const there: { [state: string]: number } = {}
  const suspects: Suspect[] = []
  for await (const record of checked.records(kind)) {
    const { state, tenant_id } = record
    there[state] = (there[state] ?? 0) + 1
    const id = idOf(record)
    if (!checked.isCompared(kind, tenant_id, id)) continue
    const where = nameOf(kind, tenant_id, id)
    const last = told.get(where) ?? machines[kind].initial
    if (last !== state) suspects.push({ where, state, last })
  }
  const after = await checked.counts(kind)
  return { kind, from, to: await checked.lastSeq(), suspects, there, before, after }
}

/** What happened while the records were looked at. */
class Meanwhile {
  readonly #looks: ReadonlyMap<string, Look>
  /** States that suspects came into. */
  readonly #passed: ReadonlyMap<string, Set<string>>
  /** How many came into a state, and left one, while its kind was looked at. */
  readonly #came = new Map<string, number>()
  readonly #left = new Map<string, number>()

  constructor(looks: readonly Look[]) {
    this.#looks = new Map(looks.map((look) => [look.kind, look]))
    const suspects = looks.flatMap((look) => look.suspects)
    this.#passed = new Map(suspects.map(({ where }) => [where, new Set()]))
  }

  add({ seq, event, kind, tenant_id, id, old_state, new_state }: AuditRecord): void {
    if (event !== 'moved') return
    this.#passed.get(nameOf(kind, tenant_id, id))?.add(new_state)
    const look = this.#looks.get(kind)
    if (look === undefined || seq <= look.from || seq > look.to) return
    addOne(this.#came, `${kind} ${new_state}`)
    if (old_state !== null) addOne(this.#left, `${kind} ${old_state}`)
  }

  hasBeen({ where, state }: Suspect): boolean {
    return this.#passed.get(where)?.has(state) === true
  }

  /** By how many the records that were seen in a state may differ from those that were counted before. */
  mostOff({ kind, before, after }: Look, state: string): number {
    const came = this.#came.get(`${kind} ${state}`) ?? 0
    const left = this.#left.get(`${kind} ${state}`) ?? 0
    if (state !== machines[kind].initial) return came + left
    // New records come into this one without a move. So many at most: those that it has more, and those that left it.
    return came + left + Math.max(0, (after[state] ?? 0) - (before[state] ?? 0) + left)
  }
}

function contradictions({ suspects }: Look, meanwhile: Meanwhile): readonly Finding[] {
  return suspects
    .filter((suspect) => !meanwhile.hasBeen(suspect))
    .map(({ where, state, last }) => ({ where, what: `is ${state}, but its history ends with ${last}` }))
}

function wrongCounts(look: Look, meanwhile: Meanwhile): readonly Finding[] {
  return Object.entries(look.before).flatMap(([state, n]) => {
    const there = look.there[state] ?? 0
    if (Math.abs(n - there) <= meanwhile.mostOff(look, state)) return []
    return { where: `${look.kind} ${state}`, what: `${n} counted, ${there} there` }
  })
}

function addOne(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

export function nameOf(kind: string, tenant_id: string, id: string): string {
  return `${kind} ${tenant_id} ${id}`
}
