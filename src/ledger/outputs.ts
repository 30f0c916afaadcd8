import { createHash } from 'node:crypto'
import { dirname } from 'node:path'
import type { OutputFile } from '../core/job/record.ts'
import type { Json } from '../core/json.ts'
import { OutputLost } from '../errors/file-errors.ts'
import { DiskFull } from '../errors/journal-errors.ts'
import { sqlitePath } from '../store/sqlite/sqlite-url.ts'
import type { Store } from '../store/store.ts'
import { copyFile } from '../world/copy-file.ts'
import type { Disk } from '../world/disk.ts'
import { NewFile } from '../world/new-file.ts'

/** Output larger than this goes to a file, unless the ledger is told otherwise. */
export const OUTPUT_LIMIT_BYTES = 64 * 1024

/** Where a ledger keeps large outputs unless it is told; null for engines without a folder of their own. */
export function outputFolderOf(url: string, { capabilities }: Pick<Store, 'capabilities'>): string | null {
  if (capabilities.engine === 'journal') return `${url}/outputs`
  // Beside the file, as SQLite's own are.
  return capabilities.engine === 'sqlite' ? `${sqlitePath(url)}-outputs` : null
}

/** Copies what is not there yet: a file is named by what is in it. */
export async function copyOutputs(disk: Disk, from: string, to: string): Promise<void> {
  const files = (await disk.list(from)).filter((name) => FILE_NAME.test(name))
  if (files.length === 0) return
  await disk.makeFolder(to)
  const there = new Set(await disk.list(to))
  for (const name of files) if (!there.has(name)) await copyFile(disk, `${from}/${name}`, `${to}/${name}`)
}

const FILE_NAME = /^[0-9a-f]{64}\.json$/

/** Where large outputs go: files named by what is in them, so that writing one twice is writing it once. */
export class Outputs {
  readonly #disk: Disk
  readonly #folder: string
  readonly #limitBytes: number
  #hasFolder = false
  /** What is being written, by its name: two at once would write into one unfinished file. */
  readonly #writing = new Map<string, Promise<void>>()

  constructor(disk: Disk, folder: string, limitBytes: number) {
    this.#disk = disk
    this.#folder = folder
    this.#limitBytes = limitBytes
  }

  /** Whether it is to be kept in a file, and not with its step. */
  isLarge(output: Json): boolean {
    return isLarger(output, this.#limitBytes)
  }

  /** The file that it is in now, durably; null when it is small enough to be kept with its step. */
  async keep(output: Json): Promise<OutputFile | null> {
    if (!this.isLarge(output)) return null
    const bytes = Buffer.from(JSON.stringify(output))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const file = `${sha256}.json`
    await (this.#writing.get(file) ?? this.#write(file, bytes))
    return { file, sha256, size_bytes: bytes.length }
  }

  #write(file: string, bytes: Uint8Array): Promise<void> {
    const written = this.#writeNew(`${this.#folder}/${file}`, bytes)
      .catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        throw new DiskFull(this.#folder, error)
      })
      .finally(() => this.#writing.delete(file))
    this.#writing.set(file, written)
    return written
  }

  async #writeNew(path: string, bytes: Uint8Array): Promise<void> {
    await this.#makeFolder()
    const made = await NewFile.create(this.#disk, path)
    try {
      made.addBytes(bytes)
      await made.finish()
    } catch (error) {
      await made.discard().catch(() => {})
      throw error
    }
  }

  /** A folder whose name is not safe can be lost with everything in it. */
  async #makeFolder(): Promise<void> {
    if (this.#hasFolder) return
    await this.#disk.makeFolder(this.#folder)
    await this.#disk.syncFolder(dirname(this.#folder))
    this.#hasFolder = true
  }

  async read({ file, sha256, size_bytes }: OutputFile): Promise<Json> {
    const path = `${this.#folder}/${file}`
    const reader = await this.#disk.openToRead(path)
    if (reader === null) throw new OutputLost(path, 'it is not there')
    try {
      const bytes = await reader.read(0, size_bytes)
      const isSame = createHash('sha256').update(bytes).digest('hex') === sha256
      if (!isSame) throw new OutputLost(path, 'it does not hold what was written')
      return JSON.parse(Buffer.from(bytes).toString()) as Json
    } finally {
      await reader.close()
    }
  }
}

/** What a number, true, false or null takes, about. */
const SCALAR_BYTES = 8

/** Whether it takes about so many bytes as JSON. Stops counting when it does. */
function isLarger(output: Json, limitBytes: number): boolean {
  let left = limitBytes
  const count = (value: Json): void => {
    if (left < 0) return
    if (typeof value === 'string') left -= value.length + 2
    else if (Array.isArray(value)) for (const item of value) count(item)
    else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) {
        left -= name.length + 4
        count(item as Json)
      }
    } else left -= SCALAR_BYTES
  }
  count(output)
  return left < 0
}
