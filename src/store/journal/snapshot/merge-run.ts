import { comparePlaces, type Place } from '../../place.ts'
import type { BlockFileReader } from '../blocks/block-file-reader.ts'
import { ReadAhead } from '../blocks/read-ahead.ts'
import { type BlockEntry, decodePage, type PageEntry } from './page.ts'
import { linesOf } from './record-line.ts'
import type { RunLine, RunWriter } from './run-writer.ts'

/** The run of the snapshot before. */
export interface OldRun {
  readonly file: BlockFileReader
  readonly pages: readonly PageEntry[]
}

/** What becomes of one place in a run. */
export interface RunChange<V> extends Place {
  /** What to put there; null when whatever is there leaves. */
  readonly value: V | null
}

export interface Merging<V> {
  readonly old: OldRun | null
  /** Sorted by place, each place once. */
  readonly changes: readonly RunChange<V>[]
  /** Called when its turn comes: not all lines are in memory at once. */
  readonly lineOf: (place: Place, value: V) => RunLine
  readonly into: RunWriter
  /** Hears of every old line that leaves or is replaced. */
  readonly onRemoved?: (line: string) => void
}

/** Writes the old run with the changes. What no change touches is copied as it is: whole pages, or single blocks. */
export async function mergeRun<V>(merging: Merging<V>): Promise<readonly PageEntry[]> {
  const merge = new Merge(merging)
  if (merging.old !== null) await merge.oldRun(merging.old)
  await merge.putUntil(null)
  return await merging.into.end()
}

class Merge<V> {
  readonly #changes: readonly RunChange<V>[]
  readonly #lineOf: (place: Place, value: V) => RunLine
  readonly #into: RunWriter
  readonly #onRemoved: (line: string) => void
  #next = 0

  constructor({ changes, lineOf, into, onRemoved }: Merging<V>) {
    this.#changes = changes
    this.#lineOf = lineOf
    this.#into = into
    this.#onRemoved = onRemoved ?? (() => {})
  }

  async oldRun({ file, pages }: OldRun): Promise<void> {
    const end = pages.at(-1)?.to ?? 0
    const ahead = new ReadAhead(file, end)
    for (const page of pages) {
      await this.putUntil(page.first)
      const isTouched = this.#isNextWithin(page.last) || (page.to === end && this.#isMoreToCome)
      if (!isTouched && this.#into.mayCopyPage) {
        await this.#into.copyPage(page, file)
        continue
      }
      const text = (await file.member(page)).toString('utf8')
      for (const block of decodePage(text, this.#into.format, page.from)) {
        await this.#block(block, ahead, block.at + block.bytes === end)
      }
    }
  }

  /** New lines that stand before a place; removals there are of nothing. */
  async putUntil(place: Place | null): Promise<void> {
    for (;;) {
      const change = this.#changes[this.#next]
      if (change === undefined || (place !== null && comparePlaces(change, place) >= 0)) return
      this.#next++
      if (change.value !== null) this.#into.add(this.#lineOf(change, change.value))
      if (this.#into.isFull) await this.#into.cut()
    }
  }

  async #block(block: BlockEntry, ahead: ReadAhead, isLast: boolean): Promise<void> {
    await this.putUntil(block.first)
    const changes = this.#takeUntil(block.last)
    // What is appended goes on in the last block, or every compaction would leave a small one there.
    const mustOpen = this.#into.hasCrumbs || (isLast && this.#isMoreToCome)
    if (!mustOpen && changes.length === 0) {
      await this.#into.copyBlock(block, await ahead.raw(block))
      return
    }
    const { header } = block
    const old = linesOf((await ahead.member(block)).toString('utf8')).map((line) => {
      return { place: this.#into.format.placeOfLine(line), line, record: null, header }
    })
    for (const line of this.#merged(old, changes)) {
      this.#into.add(line)
      if (this.#into.isFull) await this.#into.cut()
    }
  }

  #merged(old: readonly RunLine[], changes: readonly RunChange<V>[]): readonly RunLine[] {
    const merged: RunLine[] = []
    let next = 0
    for (const change of changes) {
      while (isBefore(old[next], change)) merged.push(old[next++] as RunLine)
      const there = old[next]
      if (there !== undefined && comparePlaces(there.place, change) === 0) {
        this.#onRemoved(there.line)
        next++
      }
      if (change.value !== null) merged.push(this.#lineOf(change, change.value))
    }
    return merged.concat(old.slice(next))
  }

  /** The changes up to a place, which are then done with. */
  #takeUntil(place: Place): readonly RunChange<V>[] {
    const from = this.#next
    while (this.#isNextWithin(place)) this.#next++
    return this.#changes.slice(from, this.#next)
  }

  #isNextWithin(place: Place): boolean {
    const change = this.#changes[this.#next]
    return change !== undefined && comparePlaces(change, place) <= 0
  }

  get #isMoreToCome(): boolean {
    return this.#next < this.#changes.length
  }
}

function isBefore(line: RunLine | undefined, place: Place): boolean {
  return line !== undefined && comparePlaces(line.place, place) < 0
}
