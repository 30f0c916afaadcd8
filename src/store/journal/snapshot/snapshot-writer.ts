import type { LedgerRecord } from '../../../core/aggregate.ts'
import type { BlockFileWriter } from '../blocks/block-file-writer.ts'
import type { OldRun, RunChange } from './merge-run.ts'
import type { PageEntry } from './page.ts'
import type { PageSpill } from './page-spill.ts'
import type { RunName } from './run-format.ts'
import { Section } from './run-writer.ts'
import type { Snapshot } from './snapshot.ts'
import { encodeIndex, type Sections, SNAPSHOT_VERSION, type SnapshotFacts } from './snapshot-index.ts'
import { type Found, RECORD_TABLES, type RecordTable, TABLES, type TableName } from './tables.ts'
import { writeByChanged, writeTable } from './write-table.ts'
import { type WorkLists, writeWork } from './write-work.ts'

/** By tenant and id. */
export type SortedRecords = { readonly [T in TableName]: readonly Found<T>[] }

type Runs = { [R in RunName]: readonly PageEntry[] }

/** Writes the text of a snapshot, from its opening brace to its index. */
export class SnapshotWriter {
  readonly #file: BlockFileWriter
  readonly #pages: PageSpill
  readonly #base: Snapshot | null
  readonly #onRecords: (records: number) => void
  readonly #runs = new Map<TableName, Runs>()
  readonly #listed = new Map<TableName, readonly RunChange<LedgerRecord>[]>()

  constructor(
    file: BlockFileWriter,
    pages: PageSpill,
    base: Snapshot | null,
    onRecords: (n: number) => void,
  ) {
    this.#file = file
    this.#pages = pages
    this.#base = base
    this.#onRecords = onRecords
  }

  async write(
    facts: SnapshotFacts,
    records: SortedRecords,
    lists: WorkLists,
  ): Promise<{ bytes: number; sha256: string }> {
    const { created_at, seq, document_count } = facts
    const start = JSON.stringify({ version: SNAPSHOT_VERSION, created_at, seq, document_count })
    await this.#file.text(start.slice(0, -1))
    for (const table of TABLES) await this.#table(table, records[table])
    const work = await writeWork(this.#file, lists)
    await this.#file.text(',\n"by_changed":{')
    for (const table of RECORD_TABLES) await this.#byChanged(table)
    await this.#file.text('},\n"pages":[\n')
    const { at } = await this.#file.copyRange(this.#pages, { at: 0, bytes: this.#pages.size })
    await this.#file.text('\n],\n"index":')
    const head = { version: SNAPSHOT_VERSION, ...facts }
    const index = await this.#file.text(encodeIndex({ head, work, sections: this.#sections(at) }))
    return await this.#file.finish(index)
  }

  async #table<T extends TableName>(table: T, sorted: readonly Found<T>[]): Promise<void> {
    await this.#file.text(`,\n"${table}":{\n`)
    const old = this.#old(table, 'records')
    const { records, changes } = await writeTable(table, sorted, old, this.#section())
    await this.#file.text('\n}')
    this.#runs.set(table, { records, by_changed: [] })
    this.#listed.set(table, changes)
  }

  async #byChanged(table: RecordTable): Promise<void> {
    await this.#file.text(`${table === RECORD_TABLES[0] ? '' : ','}\n"${table}":[\n`)
    const changes = this.#listed.get(table) ?? []
    const runs = this.#runs.get(table) as Runs
    runs.by_changed = await writeByChanged(table, changes, this.#old(table, 'by_changed'), this.#section())
    await this.#file.text('\n]')
  }

  #section(): Section {
    return new Section(this.#file, this.#pages, this.#onRecords)
  }

  #old(table: TableName, run: RunName): OldRun | null {
    return this.#base?.run(table, run) ?? null
  }

  /** Pages are where they were in their own file, counted from where that was copied to. */
  #sections(pagesAt: number): Sections {
    const moved = (pages: readonly PageEntry[]) => pages.map((page) => ({ ...page, at: pagesAt + page.at }))
    const entries = TABLES.map((table) => {
      const { records, by_changed } = this.#runs.get(table) as Runs
      return [table, { records: moved(records), by_changed: moved(by_changed) }]
    })
    return Object.fromEntries(entries)
  }
}
