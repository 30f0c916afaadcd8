import { aggregateKey, isOpenRow, type JobAggregate, type RecordKey } from '../../core/aggregate.ts'
import type { AuditEntry } from '../../core/audit.ts'
import {
  type Accepted,
  type Change,
  type ClaimKey,
  type Decision,
  isNothing,
  type Refused,
} from '../../core/decision.ts'
import type { OutboxRecord } from '../../core/job/record.ts'
import { Stride } from '../../core/job/stride.ts'
import { absentCell, type Cell } from './cell.ts'
import { type CellBook, keyOfEntry, ownerOf } from './cell-book.ts'
import type { FreshIds } from './fresh-ids.ts'
import { Look } from './look.ts'
import { claimName, Missing } from './missing.ts'
import type { RefusalBook } from './refusal-book.ts'
import type { RowBook } from './row-book.ts'
import type { SlotTrial } from './slot-book.ts'

interface Books {
  readonly cells: CellBook
  readonly rows: RowBook
  readonly refusals: RefusalBook
  readonly ids: FreshIds
  /** What was read or written earlier counts, until the write says otherwise. */
  readonly remembers: boolean
}

/** Finds out what a decision rests on that is not here: it has to be read before the decision is made again. */
export class Asking {
  readonly #cells: CellBook
  readonly #rows: RowBook
  readonly #refusals: RefusalBook
  readonly #ids: FreshIds
  readonly #remembers: boolean
  #look = new Look()

  constructor({ cells, rows, refusals, ids, remembers }: Books) {
    this.#cells = cells
    this.#rows = rows
    this.#refusals = refusals
    this.#ids = ids
    this.#remembers = remembers
  }

  /** What there is to read before it counts; null when there is nothing, as nearly always. */
  missingFor(decision: Decision<unknown>, look: Look): Missing | null {
    this.#look = look
    const { bearing, assumed, trial } = look
    if (bearing !== null) {
      if (bearing.claimsAll(assumed)) return null
      const missing = new Missing()
      missing.addClaims(assumed)
      return missing
    }
    if (decision.kind === 'change') {
      // Its job is here, or it would be none.
      const hasAll = decision.change instanceof Stride ? isEmpty(trial) : this.#hasAll(decision.change)
      if (hasAll) return null
    }
    const missing = new Missing()
    if (decision.kind === 'need') {
      missing.addKeys(decision.keys.filter((key) => this.#cellOf(key) === undefined))
      return missing
    }
    this.#askForDevices(missing, decision)
    if (decision.kind === 'refusal') {
      missing.addKeys(this.#staleReads().map(({ stored }) => stored.key))
      this.#askForCounts(missing, decision.audit === null ? [] : [decision.audit], new Set())
      return missing
    }
    const { puts, audit } = decision.change
    const written = new Set<Cell>()
    for (const put of puts) {
      const key = aggregateKey(put)
      const cell = this.#cellOf(key) ?? this.#born(key)
      if (cell === undefined) missing.addKeys([key])
      else written.add(cell)
      if (put.kind === 'outbox' && !isOpenRow(put)) this.#askForRow(missing, put, cell)
    }
    if (isNothing(decision.change)) missing.addKeys(this.#staleReads().map(({ stored }) => stored.key))
    this.#askForCounts(missing, audit, written)
    return missing
  }

  /** A decision that is made again makes up other ids: those could be asked for for ever. */
  #born(key: RecordKey): Cell | undefined {
    return this.#ids.has(key.id) ? this.#cells.assume(absentCell(key)) : undefined
  }

  /** The ordinary case, seen at a glance: it changes jobs that are here, tells of nothing else, and asks for no more. */
  #hasAll({ puts, audit, claims }: Change): boolean {
    const { trial } = this.#look
    if (puts.length === 0 || !isEmpty(trial)) return false
    if (!this.#isSafelyAssumed(claims)) return false
    return this.#cells.hasJobsOf(puts, audit)
  }

  /** Whatever is assumed to have no owner is taken by the same change: its write tells whether that is so. */
  #isSafelyAssumed(claims: readonly ClaimKey[]): boolean {
    const { assumed, sawFull } = this.#look
    if (assumed.length === 0) return true
    if (!this.#remembers || sawFull) return false
    const taken = new Set(claims.map(claimName))
    return assumed.every((claim) => taken.has(claimName(claim)))
  }

  /** Remembered from earlier, and not to be written: nothing would tell whether it is still so. */
  #staleReads(): readonly Cell[] {
    return this.#look.reads.filter((cell) => !cell.isFresh && !cell.isChanged)
  }

  #askForDevices(missing: Missing, decision: Accepted<unknown> | Refused): void {
    const { assumed, trial, unread } = this.#look
    if (trial !== null) missing.addSlots(trial.missing)
    if (decision.kind === 'refusal') missing.addSlots(unread)
    const claims = decision.kind === 'change' ? decision.change.claims : []
    if (!this.#isSafelyAssumed(claims)) missing.addClaims(assumed)
  }

  #askForRow(missing: Missing, row: OutboxRecord, cell: Cell | undefined): void {
    const open = cell?.now == null ? [] : (cell.now as JobAggregate).outbox
    if (open.some(({ outbox_id }) => outbox_id === row.outbox_id)) return
    if (this.#ids.has(row.outbox_id)) return
    if (!this.#rows.has(row)) missing.addRow(row.tenant_id, row.outbox_id)
  }

  /** Entries that moved nothing are counted; and what is told of something that is not written needs a place too. */
  #askForCounts(missing: Missing, audit: readonly AuditEntry[], written: ReadonlySet<Cell>): void {
    for (const entry of audit) {
      if (entry.event === 'moved' && this.#isWritten(entry, written)) continue
      const key = entry.event === 'moved' ? ownerOf(entry) : keyOfEntry(entry)
      if (!this.#refusals.has(key)) missing.addRefusal(key)
    }
  }

  #isWritten(entry: AuditEntry, written: ReadonlySet<Cell>): boolean {
    const cell = this.#cells.toldBy(entry)
    return cell !== undefined && (cell.isChanged || written.has(cell))
  }

  #cellOf({ kind, tenant_id, id }: RecordKey): Cell | undefined {
    return this.#cells.find(kind, tenant_id, id)
  }
}

function isEmpty(trial: SlotTrial | null): boolean {
  return trial === null || trial.missing.length === 0
}
