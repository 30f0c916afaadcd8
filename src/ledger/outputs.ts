import { createHash } from 'node:crypto'
import type { OutputFile } from '../core/job/record.ts'
import type { Json } from '../core/json.ts'
import { OutputLost } from '../errors/file-errors.ts'
import type { Disk } from '../world/disk.ts'
import { NewFile } from '../world/new-file.ts'

/** Output larger than this goes to a file, unless the ledger is told otherwise. */
export const OUTPUT_LIMIT_BYTES = 64 * 1024

/** The folder for them in a ledger's own. */
export const OUTPUTS = 'outputs'

/** Where large outputs go: files named by what is in them, so that writing one twice is writing it once. */
export class Outputs {
  readonly #disk: Disk
  readonly #folder: string
  readonly #limitBytes: number

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
    await this.#disk.makeFolder(this.#folder)
    const made = await NewFile.create(this.#disk, `${this.#folder}/${file}`)
    try {
      made.addBytes(bytes)
      await made.finish()
    } catch (error) {
      await made.discard().catch(() => {})
      throw error
    }
    return { file, sha256, size_bytes: bytes.length }
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
