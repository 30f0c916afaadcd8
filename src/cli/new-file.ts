import { dirname } from 'node:path'
import { FileExists } from '../errors/file-errors.ts'
import type { OnProgress } from '../store/progress.ts'
import type { Disk, DiskFile } from '../world/disk.ts'

/** A file is copied in pieces of this size. */
const PIECE_BYTES = 4 * 1024 * 1024

/**
 * A file that a command is going to write where nobody has one yet. It is begun before the work, so that a mistake in
 * its name is noticed while nothing has been done; its name appears when everything is in it and durable.
 */
export class NewFile {
  readonly #disk: Disk
  readonly #path: string
  readonly #file: DiskFile

  private constructor(disk: Disk, path: string, file: DiskFile) {
    this.#disk = disk
    this.#path = path
    this.#file = file
  }

  static async begin(disk: Disk, path: string): Promise<NewFile> {
    await mustNotExist(disk, path)
    // It would be overwritten and removed, and may be somebody's.
    await mustNotExist(disk, unfinished(path))
    return new NewFile(disk, path, await disk.open(unfinished(path)))
  }

  /** Copies another file, and is done. */
  async copy(from: string, onProgress: OnProgress): Promise<void> {
    const source = await this.#disk.openToRead(from)
    if (source === null) throw new Error(`${from} is gone`)
    try {
      const total = await source.size()
      await this.#file.truncate(0)
      for (let at = 0; at < total; at += PIECE_BYTES) {
        await this.#file.write(at, await source.read(at, PIECE_BYTES))
        onProgress({ what: 'copy', done: Math.min(at + PIECE_BYTES, total), total })
      }
    } finally {
      await source.close()
    }
    await this.#file.sync()
    await mustNotExist(this.#disk, this.#path)
    await this.#disk.rename(unfinished(this.#path), this.#path)
    await this.#disk.syncFolder(dirname(this.#path))
  }

  /** Whether it is done or not: what is not finished goes. */
  async close(): Promise<void> {
    await this.#file.close()
    await this.#disk.remove(unfinished(this.#path))
  }
}

function unfinished(path: string): string {
  return `${path}.tmp`
}

async function mustNotExist(disk: Disk, path: string): Promise<void> {
  const file = await disk.openToRead(path)
  if (file === null) return
  await file.close()
  throw new FileExists(path, 'Nothing is overwritten. Give another name, or move that file away.')
}
