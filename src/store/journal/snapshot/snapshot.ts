import type { RecordOf } from '../../../core/aggregate.ts'
import type { StepRecord } from '../../../core/job/record.ts'
import type { RecordKind } from '../../../core/machines/all.ts'
import type { Disk } from '../../../world/disk.ts'
import type { FindOrder } from '../../capabilities.ts'
import { comparePlaces } from '../../place.ts'
import type { FindQuery } from '../../query.ts'
import type { Finding } from '../../store.ts'
import { BlockFileReader } from '../blocks/block-file-reader.ts'
import { ReadAhead } from '../blocks/read-ahead.ts'
import { type FindPart, findSettled } from './find-settled.ts'
import { keyText } from './key-text.ts'
import type { OldRun } from './merge-run.ts'
import type { Stretch } from './page.ts'
import type { OnProgress } from './progress.ts'
import { readDocuments } from './read-documents.ts'
import { keyOfLine, linesOf, parseRecordLine, parseValue } from './record-line.ts'
import { RUN_FORMATS, type RunName } from './run-format.ts'
import { RunReader } from './run-reader.ts'
import { SnapshotFile } from './snapshot-file.ts'
import { decodeIndex, SNAPSHOT_DRESS, type SnapshotHead, type SnapshotIndex } from './snapshot-index.ts'
import { type Found, TABLE_OF, TABLES, type TableName, type ValueOf } from './tables.ts'
import { valueInBlock } from './value-in-block.ts'
import { verifySnapshot } from './verify-snapshot.ts'

/**
 * Everything as of one seq. Opening it reads the index alone; open records are read in one go, settled ones one at a
 * time. Damage is an exception that names the file and the byte: nothing wrong is ever handed out.
 */
export class Snapshot {
  readonly #file: SnapshotFile
  readonly #index: SnapshotIndex
  readonly #settled: { readonly [T in TableName]: RunReader }
  readonly #byChanged: { readonly [T in TableName]: RunReader }

  private constructor(file: SnapshotFile, index: SnapshotIndex) {
    this.#file = file
    this.#index = index
    this.#settled = readers(file, index, 'settled')
    this.#byChanged = readers(file, index, 'by_changed')
  }

  /** Null when there is no such file. */
  static async open(disk: Disk, path: string): Promise<Snapshot | null> {
    const reader = await BlockFileReader.open(disk, path, SNAPSHOT_DRESS)
    if (reader === null) return null
    try {
      const text = (await reader.index()).toString('utf8')
      return new Snapshot(new SnapshotFile(reader), decodeIndex(text, path, reader.indexAt))
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

  /** How many blocks were read and inflated so far, other than by `openRecords` and `verify`. */
  get blocksRead(): number {
    return this.#file.blocksRead
  }

  /** Everything that is open, a few hundred at a time. */
  async *openRecords<T extends TableName>(table: T): AsyncGenerator<readonly Found<T>[]> {
    const pages = this.#index.sections[table].open
    const ahead = new ReadAhead(this.#file.reader, pages.at(-1)?.to ?? 0)
    for (const page of pages) {
      for (const block of await this.#file.page(page, RUN_FORMATS.open)) {
        const bytes = await ahead.member(block)
        yield this.#file.understood(block, () => openBlock(table, bytes))
      }
    }
  }

  /** True: not among the settled records. False: probably there. Undefined: not known without reading. */
  surelyAbsent(table: TableName, tenant_id: string, id: string): boolean | undefined {
    const block = this.#settled[table].blockHere({ at: 0, tenant_id, id }, keyText(tenant_id, id))
    return block === undefined ? undefined : block === null
  }

  /** A settled record. Reads one block at most, and mostly none when there is no such record. */
  async get<T extends TableName>(table: T, tenant_id: string, id: string): Promise<ValueOf[T] | null> {
    const key = keyText(tenant_id, id)
    const block = await this.#settled[table].block({ at: 0, tenant_id, id }, key)
    if (block === null) return null
    const text = valueInBlock(await this.#file.block(block), key)
    return text === null ? null : this.#file.understood(block, () => parseValue(table, text, tenant_id, id))
  }

  /** The settled steps of a job, in their order. */
  async stepsOf(tenant_id: string, job_id: string): Promise<StepRecord[]> {
    // Their ids are `job/step`, and `0` is what comes after a slash.
    const from = { at: 0, tenant_id, id: `${job_id}/` }
    const to = { at: 0, tenant_id, id: `${job_id}0` }
    const steps: StepRecord[] = []
    const isWanted = ({ first, last }: Stretch) =>
      comparePlaces(first, to) < 0 && comparePlaces(last, from) >= 0
    const blocks = this.#settled.steps.blocks({ descending: false, after: null, isWanted })
    for await (const block of blocks) {
      const lines = linesOf((await this.#file.block(block)).toString('utf8'))
      this.#file.understood(block, () => {
        for (const line of lines) {
          const place = { at: 0, ...keyOfLine(line) }
          if (comparePlaces(place, from) < 0 || comparePlaces(place, to) >= 0) continue
          steps.push(parseRecordLine('steps', line).value)
        }
      })
    }
    // A job whose id goes on after a slash has its steps here, too.
    return steps.filter((step) => step.job_id === job_id).sort((a, b) => a.step_index - b.step_index)
  }

  /** The first few settled records after a place that match, in the order and direction of the query. */
  find<K extends RecordKind>(
    kind: K,
    query: Omit<FindQuery<K>, 'kind'>,
    order: FindOrder,
    part: FindPart,
  ): Promise<RecordOf[K][]> {
    const table = TABLE_OF[kind]
    const runs = {
      records: this.#settled[table],
      byChanged: this.#byChanged[table],
      get: (tenant_id: string, id: string) => this.get(table, tenant_id, id),
    }
    return findSettled(runs, { ...query, kind }, order, part)
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

function openBlock<T extends TableName>(table: T, block: Buffer): readonly Found<T>[] {
  if (table === 'states') return readDocuments(block) as unknown as readonly Found<T>[]
  return linesOf(block.toString('utf8')).map((line) => parseRecordLine(table, line))
}

function readers(
  file: SnapshotFile,
  { sections }: SnapshotIndex,
  run: RunName,
): { readonly [T in TableName]: RunReader } {
  const entries = TABLES.map((table) => [table, new RunReader(file, RUN_FORMATS[run], sections[table][run])])
  return Object.fromEntries(entries)
}
