import { aggregateKey, type LedgerRecord, nameOfKey, type RecordKey } from '../../src/core/aggregate.ts'
import type { AuditEntry } from '../../src/core/audit.ts'
import type { Change, Decision, Given } from '../../src/core/decision.ts'
import type { OutboxRecord } from '../../src/core/job/record.ts'
import type { LastChange, Logged, RowRef } from '../../src/store/azure-tables/azure-cell.ts'
import { stepRowKey } from '../../src/store/azure-tables/cell-rows.ts'
import { keyOfRow } from '../../src/store/azure-tables/cell-store.ts'
import { LANE_ROW } from '../../src/store/azure-tables/lane-rows.ts'
import { whole } from '../../src/store/azure-tables/long-columns.ts'
import { columnsOf } from '../../src/store/azure-tables/record-columns.ts'
import type { Columns, RowWrite } from '../../src/store/azure-tables/service.ts'
import { INDEX } from '../../src/store/azure-tables/table-names.ts'
import type { Store, Sweep } from '../../src/store/store.ts'
import type { Timers } from '../../src/world/timers.ts'
import { FakeAccount } from '../azure-tables/fake-account.ts'
import type { FakeRequest } from '../azure-tables/fake-table-service.ts'
import { Facade } from '../conformance/facade.ts'
import { LawBroken, law } from './law-broken.ts'
import type { Begun, Commit } from './shadow.ts'

/** How long others may go on as if nothing had been decided about a queue. */
const UNAWARE_MS = 1000

/** What outlives every process: the account, and which changes were decided in it, in that order. */
export class ObservedAccount extends FakeAccount {
  readonly decided = new Set<string>()
  /** Of each aggregate, as it was decided last. */
  readonly versions = new Map<string, number>()
  /** Who writes to each lane. */
  readonly writers = new Map<string, Columns[string]>()
  readonly #timers: Timers
  #commits = 0
  #known = 0

  constructor(timers: Timers) {
    super()
    this.#timers = timers
  }

  /** What everybody who begins something now has to see. */
  get begun(): Begun {
    return { after: this.#commits, afterQueues: this.#known }
  }

  nextCommit(): number {
    const commit = ++this.#commits
    this.#timers.after(UNAWARE_MS, () => {
      this.#known = commit
    })
    return commit
  }
}

/** What one call decided last: whatever it decided before was in vain. */
interface Call {
  readonly begun: Begun
  made: { readonly change: Change; readonly at: number } | null
}

interface Observer {
  say(what: string): void
  commit(commit: Commit): void
  ignored(entry: AuditEntry): void
  broke(error: unknown): void
}

/** A row that decided, and the writes that it was among. */
interface DecidedRow {
  readonly key: RecordKey
  readonly version: number
  readonly columns: Columns
  readonly last: LastChange
  readonly writes: readonly RowWrite[]
}

/**
 * Stands in front of a store in an account and tells of every change when it becomes durable: when the row that decides over
 * it is written, whatever has to follow. Which decision that was its aggregate, version and history tell.
 */
export class ObservedAzureStore extends Facade {
  readonly #account: ObservedAccount
  readonly #on: Observer
  /** In the order in which they came. Those whose process is gone stay: what it sent may still arrive. */
  readonly #calls = new Set<Call>()

  constructor(inner: Store, account: ObservedAccount, on: Observer) {
    super(inner)
    this.#account = account
    this.#on = on
  }

  override async transact<A>(keys: readonly RecordKey[], decide: (given: Given) => Decision<A>) {
    const call = this.#begin()
    const answer = await super.transact(keys, (given) => this.#made(call, decide(given), given))
    this.#end(call)
    return answer
  }

  override async sweep<A>(selector: Sweep, decide: (key: RecordKey, given: Given) => Decision<A>) {
    const calls = new Map<string, Call>()
    const { begun } = this.#account
    const swept = await super.sweep(selector, (key, given) => {
      const call = calls.get(nameOfKey(key)) ?? this.#begin(begun)
      calls.set(nameOfKey(key), call)
      return this.#made(call, decide(key, given), given)
    })
    for (const call of calls.values()) this.#end(call)
    return swept
  }

  /** Call it whenever the service has heard a request. */
  heard({ table, pk = '', writes = [] }: FakeRequest): void {
    for (const write of writes) {
      if (table === INDEX && write.rk === LANE_ROW && write.verb !== 'delete')
        this.#sawLane(pk, write.columns)
      const last = write.verb === 'delete' ? null : lastOf(write.columns)
      if (last === null || this.#account.decided.has(last.id)) continue
      const row = this.#account.get(table, pk, write.rk)
      // It was refused.
      if (row === null || lastOf(row.columns)?.id !== last.id) continue
      this.#account.decided.add(last.id)
      const columns = whole(row.columns)
      const version = columns._v as number
      try {
        this.#tell({ key: keyOfRow(table, row), version, columns, last, writes })
      } catch (error) {
        this.#on.broke(error)
      }
    }
  }

  /** Tells when somebody takes a lane that was another's, and when who had it finds out. */
  #sawLane(pk: string, { owner, flush }: Columns): void {
    const { writers } = this.#account
    const now = this.#account.get(INDEX, pk, LANE_ROW)?.columns ?? {}
    const before = writers.get(pk)
    if (now.owner !== owner || now.flush !== flush) this.#on.say(`${pk} is somebody else's by now`)
    else if (before !== undefined && before !== owner) this.#on.say(`${pk} is taken over`)
    if (now.owner !== undefined) writers.set(pk, now.owner)
  }

  #begin(begun = this.#account.begun): Call {
    const call: Call = { begun, made: null }
    this.#calls.add(call)
    return call
  }

  #made<A>(call: Call, decision: Decision<A>, { now }: Given): Decision<A> {
    call.made = decision.kind === 'change' ? { change: decision.change, at: now } : null
    return decision
  }

  #end(call: Call): void {
    this.#calls.delete(call)
    for (const entry of call.made?.change.audit ?? []) {
      if (entry.event === 'ignored') this.#on.ignored(entry)
    }
  }

  #tell(row: DecidedRow): void {
    const { key, version, last } = row
    const name = nameOfKey(key)
    const { versions } = this.#account
    const before = versions.get(name) ?? 0
    // Something was only told of it.
    if (version === before) return
    law(version === before + 1, () => `${name} became version ${version} after ${before}`)
    const all = new Map([[name, version], ...last.owed.others.map((ref) => this.#locked(ref, last.id))])
    for (const call of this.#calls) {
      const { made } = call
      if (made === null || !isOf(made.change, row)) continue
      this.#calls.delete(call)
      for (const [other, next] of all) versions.set(other, next)
      // In the ledger etags are the service's own texts; here each aggregate counts its changes, so that they can be compared.
      const puts = made.change.puts.map((put) => ({ ...put, etag: String(versionOf(put, all)) }))
      const { audit, claims, slots, signals } = made.change
      const change = { puts, audit, claims, slots, signals }
      const etag = this.#account.nextCommit()
      this.#on.commit({ change, at: made.at, etag, isByRecord: true, begun: call.begun })
      return
    }
    throw new LawBroken(`${name} became version ${version}, and nobody here decided that`)
  }

  /** What else it changes, or holds as it is, is locked by it when it is decided. */
  #locked({ table, pk, rk }: RowRef, change: string): readonly [name: string, version: number] {
    const row = this.#account.get(table, pk, rk)
    const lock = row === null ? undefined : whole(row.columns)._lock
    const { change: by, next } = JSON.parse((lock ?? '{}') as string)
    law(by === change, () => `a change was decided that ${table} ${pk} belongs to, and it was not locked`)
    const columns: Columns = next[0]?.columns ?? row?.columns
    return [nameOfKey(keyOfRow(table, { pk, rk, etag: '', columns })), columns._v as number]
  }
}

function versionOf(put: LedgerRecord, versions: ReadonlyMap<string, number>): number {
  const name = nameOfKey(aggregateKey(put))
  const version = versions.get(name)
  law(version !== undefined, () => `${name} is changed by a change that does not say so`)
  return version
}

function lastOf(columns: Columns): LastChange | null {
  const { _last } = columns._last === undefined ? columns : whole(columns)
  return _last === undefined ? null : JSON.parse(_last as string)
}

/** Whether this is what the row says. Until it is written, records have the version of their aggregate for an etag. */
function isOf({ puts, audit }: Change, row: DecidedRow): boolean {
  const { key, version, columns, last } = row
  const own = puts.filter((put) => nameOfKey(aggregateKey(put)) === nameOfKey(key))
  if (own.length === 0 || own.some(({ etag }) => etag !== String(version))) return false
  const log: readonly Logged[] = JSON.parse(String(columns._log ?? '[]'))
  const told = [...log.slice(log.length - last.owed.own), ...last.owed.told].map(([, entry]) => entry)
  return textOf(told) === textOf(audit) && own.every((put) => isIn(row, put))
}

function isIn({ columns, last, writes }: DecidedRow, put: LedgerRecord): boolean {
  if (put.kind === 'outbox') {
    const open: readonly OutboxRecord[] = JSON.parse(String(columns._outbox ?? '[]'))
    const same = [...open, ...last.owed.closed].find(({ outbox_id }) => outbox_id === put.outbox_id)
    return JSON.stringify({ ...same, etag: '' }) === JSON.stringify({ ...put, etag: '' })
  }
  const write = put.kind === 'step' ? writes.find(({ rk }) => rk === stepRowKey(put)) : { columns }
  return write !== undefined && 'columns' in write && holds(whole(write.columns), columnsOf(put))
}

function holds(columns: Columns, wanted: Columns): boolean {
  return Object.entries(wanted).every(([name, value]) => columns[name] === value)
}

function textOf(entries: readonly AuditEntry[]): string {
  return entries
    .filter(({ event }) => event === 'moved')
    .map((entry) => JSON.stringify(entry))
    .sort()
    .join('\n')
}
