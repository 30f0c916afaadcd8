import { toIso } from '../../../core/time.ts'
import type { Disk, DiskFile } from '../../../world/disk.ts'
import { deltaName, TEMPORARY } from '../file-names.ts'
import { withChecksum } from '../lines/checksum.ts'
import { DELTA_VERSION, type DeltaEnd, type DeltaHeader } from './read-delta.ts'

/**
 * How much is filled with newlines ahead: overwriting is cheaper to sync than growing. Whoever writes meanwhile waits for it, and
 * a disk takes two or three times as long for eight times as much: so it is more, the more is written.
 */
const LEAST_FILL_BYTES = 128 * 1024
const MOST_FILL_BYTES = 1024 * 1024

/**
 * So much at a time: the system keeps what was written at once together in memory, and goes through all of it whenever a part of it
 * is written again. After a mebibyte at once each commit takes a tenth longer.
 */
const FILL_AT_ONCE_BYTES = 64 * 1024

/** A batch this large is cheaper to append than to fill for. */
const LARGE_BATCH_BYTES = 256 * 1024

/** Made when somebody first needs it: most who open a ledger write little. */
let newlines = Buffer.alloc(0)

function fillOf(bytes: number): Uint8Array {
  if (newlines.length < bytes) newlines = Buffer.alloc(bytes, '\n')
  return newlines.subarray(0, bytes)
}

/** Appends batches to a delta file. One at a time: the caller waits for each. */
export class DeltaWriter {
  readonly path: string
  readonly #file: DiskFile
  #end: number
  #size: number
  #fillBytes = LEAST_FILL_BYTES
  /** Most processes that write once write no more: they need no room. */
  #isFirst = true

  private constructor(path: string, file: DiskFile, end: number, size: number) {
    this.path = path
    this.#file = file
    this.#end = end
    this.#size = size
  }

  /** Makes a new delta. It has its name only when its header is durable. */
  static async create(disk: Disk, folder: string, firstSeq: number, now: number): Promise<DeltaWriter> {
    const delta = await DeltaWriter.prepare(disk, folder, firstSeq, now)
    await delta.place()
    return delta.writer
  }

  /** The same in two steps: the first can be done again when it fails, the second leaves nobody knows what. */
  static async prepare(disk: Disk, folder: string, firstSeq: number, now: number): Promise<PreparedDelta> {
    const path = `${folder}/${deltaName(firstSeq)}`
    const bytes = Buffer.from(headerLine(firstSeq, toIso(now)))
    const file = await disk.open(path + TEMPORARY)
    try {
      await file.truncate(0)
      await file.write(0, bytes)
      await file.sync()
    } catch (error) {
      await file.close()
      throw error
    }
    return {
      writer: new DeltaWriter(path, file, bytes.length, bytes.length),
      place: async () => {
        await disk.rename(path + TEMPORARY, path)
        await disk.syncFolder(folder)
      },
    }
  }

  /**
   * Goes on with a delta after its last whole batch; whatever comes after that is cut off. That batch is written once more:
   * its writer may have been killed before the disk had it, or have failed to sync it. After that the system shows what was
   * written, takes it for written, and the next sync passes over it.
   */
  static async goOn(disk: Disk, { path, place: { at }, lastBatchAt }: DeltaEnd): Promise<DeltaWriter> {
    const file = await disk.open(path)
    if ((await file.size()) > at) await file.truncate(at)
    if (lastBatchAt < at) await file.write(lastBatchAt, await file.read(lastBatchAt, at - lastBatchAt))
    await file.sync()
    return new DeltaWriter(path, file, at, at)
  }

  /** Where the next batch will begin. */
  get end(): number {
    return this.#end
  }

  /** Resolves when the batch is durable. Where it is not, `takeBack` undoes what there is of it. `isLone` as for the file. */
  async append(batch: Uint8Array, isLone = false): Promise<void> {
    const needsRoom = this.#end + batch.length > this.#size && !this.#isFirst
    if (needsRoom && batch.length < LARGE_BATCH_BYTES) await this.#fillIfRoom(batch)
    this.#isFirst = false
    await this.#file.writeThrough(this.#end, batch, isLone)
    this.#end += batch.length
    this.#size = Math.max(this.#size, this.#end)
  }

  /** Cuts off what a failed append may have left, so that the next batch comes right after the last good one. */
  async takeBack(): Promise<void> {
    await this.#file.truncate(this.#end)
    this.#size = this.#end
    await this.#file.sync()
  }

  /** Ends the file where its last batch ends. */
  async finish(): Promise<void> {
    if (this.#size > this.#end) await this.takeBack()
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  /** Where there is none left, there may be enough for the batch. */
  async #fillIfRoom(batch: Uint8Array): Promise<void> {
    try {
      await this.#fillFor(batch)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      await this.takeBack()
    }
  }

  async #fillFor(batch: Uint8Array): Promise<void> {
    const bytes = Math.min(Math.max(this.#fillBytes, 2 * batch.length), MOST_FILL_BYTES)
    this.#fillBytes = Math.min(2 * bytes, MOST_FILL_BYTES)
    const end = this.#size + bytes
    while (this.#size < end) {
      const some = Math.min(FILL_AT_ONCE_BYTES, end - this.#size)
      await this.#file.write(this.#size, fillOf(some))
      this.#size += some
    }
    await this.#file.sync()
  }
}

/** A delta that has everything but its name. */
interface PreparedDelta {
  readonly writer: DeltaWriter
  place(): Promise<void>
}

/** The first line of a delta. */
export function headerLine(first_seq: number, created_at: string): string {
  const header: DeltaHeader = { waybill: 'delta', version: DELTA_VERSION, first_seq, created_at }
  return `${withChecksum(JSON.stringify(header).slice(0, -1))}\n`
}
