import {
  type AggregateKind,
  aggregateKey,
  isJobPart,
  isPartKind,
  type LedgerRecord,
  type RecordKey,
} from '../../core/aggregate.ts'
import type { AuditEntry } from '../../core/audit.ts'
import type { Birth } from '../../core/job/birth.ts'
import { TwoKeys } from '../live/two-keys.ts'
import { BirthBook } from './birth-book.ts'
import { absentCell, bear, bornCell, Cell, cellOfWaiting, type StoredCell } from './cell.ts'
import type { ReadBirths } from './read-births.ts'
import type { JobRow, RefusalKey } from './tables.ts'

export interface RememberedCells {
  cell(kind: AggregateKind, tenant_id: string, id: string): StoredCell | undefined
}

/** How a process reads the rows of jobs: by what it remembers, and by what others had in common. */
export interface ReadBy {
  readonly memory: RememberedCells
  readonly births: ReadBirths
}

/** The aggregates that a group of decisions knows of, by kind, tenant and id. */
export class CellBook {
  readonly #cells = new Map<AggregateKind, TwoKeys<Cell>>()
  readonly #remembered: RememberedCells | null
  /** Jobs that were born here, of which nobody has asked for the cell. */
  readonly #births = new BirthBook()

  constructor(remembered: RememberedCells | null) {
    this.#remembered = remembered
  }

  /** It was read from the database just now. What was decided already stands: its write will tell whether it was right. */
  read(stored: StoredCell): void {
    const { kind, tenant_id, id } = stored.key
    if (this.known(kind, tenant_id, id)?.isChanged !== true) this.#keep(new Cell(stored, true))
  }

  /** The same of a job. One that is remembered in the version that was read need not be decoded. */
  readJob(row: JobRow, by: ReadBy | null): void {
    const { tenant_id, job_id: id, version } = row
    const known = by?.memory.cell('job', tenant_id, id)
    if (known?.version === version) this.read(known)
    else this.read(cellOfWaiting(by?.births.of(row) ?? row))
  }

  /** It is taken to be so, until the write says otherwise. */
  assume(stored: StoredCell): Cell {
    return this.#keep(new Cell(stored, false))
  }

  /** Nobody has heard of it yet. Answers whether that was not known. */
  assumeAbsent(key: RecordKey): boolean {
    if (this.here(key.kind as AggregateKind, key.tenant_id, key.id) !== undefined) return false
    this.assume(absentCell(key))
    return true
  }

  /** They are about to be there. */
  bear(births: readonly Birth[]): void {
    const jobs = this.#cells.get('job')
    if (jobs === undefined) {
      this.#births.add(births)
      return
    }
    for (const birth of births) {
      const cell = jobs.get(birth.tenant_id, birth.job_id)
      if (cell === undefined) this.#births.add([birth])
      else bear(cell, birth)
    }
  }

  bornAlone(): readonly Birth[] {
    return this.#births.left()
  }

  /** As it is known here, or remembered from earlier. */
  find(kind: AggregateKind, tenant_id: string, id: string): Cell | undefined {
    const cell = this.known(kind, tenant_id, id) ?? this.#born(kind, tenant_id, id)
    if (cell !== undefined || this.#remembered === null) return cell
    const stored = this.#remembered.cell(kind, tenant_id, id)
    return stored === undefined ? undefined : this.#keep(new Cell(stored, false))
  }

  known(kind: AggregateKind, tenant_id: string, id: string): Cell | undefined {
    return this.#cells.get(kind)?.get(tenant_id, id)
  }

  /** It was read, or born, here. */
  here(kind: AggregateKind, tenant_id: string, id: string): Cell | undefined {
    return this.known(kind, tenant_id, id) ?? this.#born(kind, tenant_id, id)
  }

  /** The one that an entry tells of. */
  toldBy({ kind, tenant_id, id, job_id }: AuditEntry): Cell | undefined {
    return isPartKind(kind) ? this.here('job', tenant_id, job_id ?? id) : this.known(kind, tenant_id, id)
  }

  /** All that is written is of jobs that are here, and moves them; and nothing else is told of. */
  hasJobsOf(puts: readonly LedgerRecord[], audit: readonly AuditEntry[]): boolean {
    let cell: Cell | undefined
    // Nearly always all of it is of one job, and then no set of them is needed.
    let before: Set<Cell> | null = null
    for (const put of puts) {
      if (put.kind === 'outbox' || !isJobPart(put)) return false
      const key = cell?.stored.key
      if (put.job_id === key?.id && put.tenant_id === key.tenant_id) continue
      if (cell !== undefined) {
        before ??= new Set()
        before.add(cell)
      }
      cell = this.here('job', put.tenant_id, put.job_id)
      if (cell === undefined) return false
    }
    for (const entry of audit) {
      if (entry.event !== 'moved') return false
      const told = this.toldBy(entry)
      if (told === undefined) return false
      if (told !== cell && !told.isChanged && before?.has(told) !== true) return false
    }
    return true
  }

  /** What is put, by the cells that it is of. */
  byCell(puts: readonly LedgerRecord[]): Iterable<readonly [Cell, readonly LedgerRecord[]]> {
    const only = this.#onlyJobOf(puts)
    if (only !== null) return [[only, puts]]
    const parts = new Map<Cell, LedgerRecord[]>()
    for (const put of puts) {
      const { kind, tenant_id, id } = aggregateKey(put)
      const cell = this.find(kind, tenant_id, id) as Cell
      const some = parts.get(cell)
      if (some === undefined) parts.set(cell, [put])
      else some.push(put)
    }
    return parts
  }

  /** The job that all of it is of, as nearly always. */
  #onlyJobOf(puts: readonly LedgerRecord[]): Cell | null {
    const [first] = puts
    if (first === undefined || !isJobPart(first)) return null
    const { tenant_id, job_id } = first
    for (const put of puts) {
      if (!isJobPart(put) || put.job_id !== job_id || put.tenant_id !== tenant_id) return null
    }
    return this.find('job', tenant_id, job_id) as Cell
  }

  /** But for jobs that were born here, and that nobody asked for. */
  forEach(callback: (cell: Cell) => void): void {
    for (const ofKind of this.#cells.values()) ofKind.forEach(callback)
  }

  #born(kind: AggregateKind, tenant_id: string, id: string): Cell | undefined {
    const birth = kind === 'job' ? this.#births.take(tenant_id, id) : undefined
    return birth === undefined ? undefined : this.#keep(bornCell(birth))
  }

  #keep(cell: Cell): Cell {
    const { kind, tenant_id, id } = cell.stored.key
    let ofKind = this.#cells.get(kind)
    if (ofKind === undefined) {
      ofKind = new TwoKeys()
      this.#cells.set(kind, ofKind)
    }
    ofKind.set(tenant_id, id, cell)
    return cell
  }
}

/** Whose history an entry is part of. */
export function ownerOf({ kind, tenant_id, id, job_id }: AuditEntry): RefusalKey {
  return isPartKind(kind) ? { kind: 'job', tenant_id, id: job_id ?? id } : { kind, tenant_id, id }
}

export function keyOfEntry({ kind, tenant_id, id }: AuditEntry): RefusalKey {
  return { kind, tenant_id, id }
}
