import type { Disk } from '../../world/disk.ts'
import { isThere } from '../../world/is-there.ts'
import { NewFile } from '../../world/new-file.ts'
import { type LineBlock, LONGEST_LINE_BYTES, lineBlocks } from './line-blocks.ts'
import type { RejectedLine } from './prepare-lines.ts'

/** A control character takes six bytes here. */
const LONGEST_ENTRY_BYTES = 7 * LONGEST_LINE_BYTES

/**
 * Lines that tell of no transition, kept beside the log as `<log>.rejects`: one JSON object for each, with the number of
 * the line. What earlier runs kept stays, sorted in by line and each once: a log that was migrated in place has lost
 * the lines that are in there.
 */
export class RejectsFile {
  readonly path: string
  readonly #disk: Disk
  #new: NewFile | null = null

  constructor(disk: Disk, input: string) {
    this.#disk = disk
    this.path = `${input}.rejects`
  }

  async add({ block }: { readonly block: LineBlock }, rejected: readonly RejectedLine[]): Promise<void> {
    if (rejected.length === 0) return
    this.#new ??= await NewFile.create(this.#disk, `${this.path}.new`)
    for (const line of rejected) this.#new.addText(`${entryOf(block, line)}\n`)
    await this.#new.flush()
  }

  /** Answers the path when there are any. */
  async finish(): Promise<string | null> {
    if (this.#new === null) return (await isThere(this.#disk, this.path)) ? this.path : null
    await this.#new.finish()
    const kept = `${this.path}.new`
    if (await isThere(this.#disk, this.path)) {
      await merge(this.#disk, [this.path, kept], this.path)
      await this.#disk.remove(kept)
    } else await this.#disk.rename(kept, this.path)
    return this.path
  }

  async discard(): Promise<void> {
    await this.#new?.discard()
  }
}

function entryOf({ bytes, at, tooLong }: LineBlock, { line, start, end, problem }: RejectedLine): string {
  const content = bytes.subarray(start, end)
  if (tooLong !== null) return JSON.stringify({ line, problem, at, starts_with: content.toString('base64') })
  if (problem === 'it is not UTF-8')
    return JSON.stringify({ line, problem, base64: content.toString('base64') })
  return JSON.stringify({ line, problem, text: content.toString('utf8') })
}

/** Both are sorted by line, and so is what comes of it. */
async function merge(disk: Disk, [a, b]: readonly [string, string], into: string): Promise<void> {
  const merged = await NewFile.create(disk, into)
  try {
    const [old, fresh] = [new Entries(disk, a), new Entries(disk, b)]
    await Promise.all([old.next(), fresh.next()])
    for (;;) {
      const line = Math.min(old.line, fresh.line)
      if (line === Number.POSITIVE_INFINITY) break
      const seen = new Set<string>()
      for (const entries of [old, fresh]) {
        while (entries.line === line) {
          seen.add(entries.text)
          await entries.next()
        }
      }
      for (const text of seen) merged.addText(`${text}\n`)
      await merged.flush()
    }
    await merged.finish()
  } catch (error) {
    await merged.discard().catch(() => {})
    throw error
  }
}

/** The entries of a file, one by one. */
class Entries {
  readonly #texts: AsyncGenerator<string>
  text = ''
  /** Infinity behind the last one. */
  line = 0

  constructor(disk: Disk, path: string) {
    this.#texts = textsOf(disk, path)
  }

  async next(): Promise<void> {
    const { value, done } = await this.#texts.next()
    this.text = value ?? ''
    this.line = done ? Number.POSITIVE_INFINITY : Math.max(this.line, lineNumber(this.text))
  }
}

async function* textsOf(disk: Disk, path: string): AsyncGenerator<string> {
  const reader = await disk.openToRead(path)
  if (reader === null) return
  try {
    for await (const { bytes } of lineBlocks(reader, await reader.size(), LONGEST_ENTRY_BYTES)) {
      for (const text of bytes.toString('utf8').split('\n')) if (text !== '') yield text
    }
  } finally {
    await reader.close()
  }
}

/** Somebody may have written into it by hand: what has no number stays where it is. */
function lineNumber(text: string): number {
  return Number(/^\{"line":(\d{1,15}),/.exec(text)?.[1] ?? 0)
}
