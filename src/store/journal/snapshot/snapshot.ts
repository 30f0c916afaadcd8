import type { JobAggregate, RecordOf } from '../../../core/aggregate.ts'
import type { OutboxRecord, StepRecord } from '../../../core/job/record.ts'
import type { RecordKind } from '../../../core/machines/all.ts'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import type { Disk } from '../../../world/disk.ts'
import type { FindOrder } from '../../capabilities.ts'
import { beginningWith, type StoredWork } from '../../live/stored-work.ts'
import { comparePlaces, type Place } from '../../place.ts'
import type { FindQuery } from '../../query.ts'
import type { Finding } from '../../store.ts'
import { BlockFileReader } from '../blocks/block-file-reader.ts'
import { type FindPart, findInSnapshot } from './find-in-snapshot.ts'
import { keyBeginnings, keyText } from './key-text.ts'
import type { OldRun } from './merge-run.ts'
import type { OnProgress } from './progress.ts'
import { keyOfLine, linesOf, parseRecordLine, parseValue } from './record-line.ts'
import { RUN_FORMATS, type RunName } from './run-format.ts'
import { RunReader } from './run-reader.ts'
import { SnapshotFile } from './snapshot-file.ts'
import { decodeIndex, SNAPSHOT_DRESS, type SnapshotHead, type SnapshotIndex } from './snapshot-index.ts'
import { type Found, TABLE_OF, TABLES, type TableName, type ValueOf } from './tables.ts'
import { linesInBlock, valueInBlock } from './value-in-block.ts'
import { verifySnapshot } from './verify-snapshot.ts'
import { readWork } from './work-section.ts'

/**
 * Everything as of one seq. Opening it reads the index and what there is to do; records are read when somebody asks.
 * Damage is an exception that names the file and the byte: nothing wrong is ever handed out.
 */
export class Snapshot {
  readonly #file: SnapshotFile
  readonly #index: SnapshotIndex
  /** Of jobs that were open. */
  readonly work: StoredWork
  readonly #records: { readonly [T in TableName]: RunReader }
  readonly #byChanged: { readonly [T in TableName]: RunReader }

  private constructor(file: SnapshotFile, index: SnapshotIndex, work: StoredWork) {
    this.#file = file
    this.#index = index
    this.work = work
    this.#records = readers(file, index, 'records')
    this.#byChanged = readers(file, index, 'by_changed')
  }

  /** Null when there is no such file. */
  static async open(disk: Disk, path: string): Promise<Snapshot | null> {
    const reader = await BlockFileReader.open(disk, path, SNAPSHOT_DRESS)
    if (reader === null) return null
    try {
      const text = (await reader.index()).toString('utf8')
      const index = decodeIndex(text, path, reader.indexAt)
      return new Snapshot(new SnapshotFile(reader), index, await readWork(reader, index.work))
    } catch (error) {
      await reader.close()
      throw error
    }
  }

  get path(): string {
    return this.#file.reader.path
  }

  get bytes(): number {
    return this.#file.reader.size
  }

  get head(): SnapshotHead {
    return this.#index.head
  }

  /** How many blocks were read and inflated so far, other than by `verify`. */
  get blocksRead(): number {
    return this.#file.blocksRead
  }

  /** True: not there. False: probably there. Undefined: not known without reading. */
  surelyAbsent(table: TableName, tenant_id: string, id: string): boolean | undefined {
    const block = this.#records[table].blockHere({ at: 0, tenant_id, id }, keyText(tenant_id, id))
    return block === undefined ? undefined : block === null
  }

  /** Reads one block at most, and mostly none when there is no such record. */
  async get<T extends TableName>(table: T, tenant_id: string, id: string): Promise<ValueOf[T] | null> {
    const key = keyText(tenant_id, id)
    const block = await this.#records[table].block({ at: 0, tenant_id, id }, key)
    if (block === null) return null
    const text = valueInBlock(await this.#file.block(block), key)
    return text === null ? null : this.#file.understood(block, () => parseValue(table, text, tenant_id, id))
  }

  /** A job with its steps, and the outbox rows that are open. */
  async job(tenant_id: string, job_id: string): Promise<JobAggregate | null> {
    const job = await this.get('jobs', tenant_id, job_id)
    if (job === null) return null
    const steps = await this.#stepsOf(tenant_id, job_id)
    return { job, steps, outbox: await this.#openRowsOf(tenant_id, job_id) }
  }

  /** The steps of a job, in their order. */
  async #stepsOf(tenant_id: string, job_id: string): Promise<StepRecord[]> {
    // Their ids are `job/step`, and `0` is what comes after a slash.
    const from = { at: 0, tenant_id, id: `${job_id}/` }
    const to = { at: 0, tenant_id, id: `${job_id}0` }
    const beginnings = keyBeginnings(tenant_id, from.id)
    const steps: StepRecord[] = []
    for await (const block of this.#records.steps.between(from, to)) {
      const bytes = await this.#file.block(block)
      this.#file.understood(block, () => {
        for (const line of linesInBlock(bytes, beginnings)) steps.push(parseRecordLine('steps', line).value)
      })
    }
    // A job whose id goes on after a slash has its steps here, too.
    return steps.filter((step) => step.job_id === job_id).sort((a, b) => a.step_index - b.step_index)
  }

  async #openRowsOf(tenant_id: string, job_id: string): Promise<OutboxRecord[]> {
    const found: OutboxRecord[] = []
    for (const [, , outbox_id] of beginningWith(this.work.rows, [tenant_id, job_id])) {
      const row = await this.get('outbox', tenant_id, outbox_id)
      if (row === null) throw this.#contradiction(`outbox row ${outbox_id} is open, and is not there`)
      found.push(row)
    }
    return found
  }

  #contradiction(what: string): LedgerDamaged {
    return new LedgerDamaged({ file: this.path, byte: this.#index.work.at }, what)
  }

  /** The first few claims after a place; null: from the beginning. None: that was all. */
  async claimsAfter(after: Place | null, size: number): Promise<readonly Found<'claims'>[]> {
    const found: Found<'claims'>[] = []
    const blocks = this.#records.claims.blocks({ descending: false, after, isWanted: () => true })
    for await (const block of blocks) {
      const lines = linesOf((await this.#file.passingBlock(block)).toString('utf8'))
      for (const line of lines) {
        if (after !== null && comparePlaces({ at: 0, ...keyOfLine(line) }, after) <= 0) continue
        found.push(this.#file.understood(block, () => parseRecordLine('claims', line)))
        if (found.length === size) return found
      }
    }
    return found
  }

  /** The first few records after a place that match, in the order and direction of the query. */
  find<K extends RecordKind>(
    kind: K,
    query: Omit<FindQuery<K>, 'kind'>,
    order: FindOrder,
    part: FindPart,
  ): Promise<RecordOf[K][]> {
    const table = TABLE_OF[kind]
    const runs = {
      records: this.#records[table],
      byChanged: this.#byChanged[table],
      get: (tenant_id: string, id: string) => this.get(table, tenant_id, id),
    }
    return findInSnapshot(runs, { ...query, kind }, order, part)
  }

  /** Looks at every byte and every record; an empty list is good news. */
  verify(onProgress?: OnProgress): Promise<readonly Finding[]> {
    return verifySnapshot(this.#file.reader, this.#index, { records: true, onProgress })
  }

  /** Looks at every byte, but not into the records. */
  verifyBlocks(onProgress?: OnProgress): Promise<readonly Finding[]> {
    return verifySnapshot(this.#file.reader, this.#index, { records: false, onProgress })
  }

  /** For the snapshot that comes after this one. */
  run(table: TableName, run: RunName): OldRun {
    return { file: this.#file.reader, pages: this.#index.sections[table][run] }
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

function readers(
  file: SnapshotFile,
  { sections }: SnapshotIndex,
  run: RunName,
): { readonly [T in TableName]: RunReader } {
  const entries = TABLES.map((table) => [table, new RunReader(file, RUN_FORMATS[run], sections[table][run])])
  return Object.fromEntries(entries)
}
