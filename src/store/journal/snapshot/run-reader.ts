import { countWhile } from '../../count-while.ts'
import { comparePlaces, type Place } from '../../place.ts'
import type { BlockEntry, PageEntry, Stretch } from './page.ts'
import type { RunFormat } from './run-format.ts'
import type { SnapshotFile } from './snapshot-file.ts'

export interface Walk {
  readonly descending: boolean
  /** Nothing up to here; null: from the beginning. */
  readonly after: Place | null
  /** False: nothing in there is wanted, pass it over. */
  readonly isWanted: (stretch: Stretch) => boolean
}

/** Finds the blocks of a run. */
export class RunReader {
  readonly file: SnapshotFile
  readonly format: RunFormat
  readonly pages: readonly PageEntry[]

  constructor(file: SnapshotFile, format: RunFormat, pages: readonly PageEntry[]) {
    this.file = file
    this.format = format
    this.pages = pages
  }

  /** How many blocks there are. */
  get blockCount(): number {
    return this.pages.reduce((sum, { blocks }) => sum + blocks, 0)
  }

  /** The only block where the place can be; null when it is in none, undefined when its page is not in memory. */
  blockHere(place: Place, name: string): BlockEntry | null | undefined {
    const page = stretchWith(this.pages, place)
    if (page === null) return null
    const blocks = this.file.pageHere(page)
    return blocks && blockWith(blocks, place, name)
  }

  /** The only block where the place can be; null when it is in none. */
  async block(place: Place, name: string): Promise<BlockEntry | null> {
    const page = stretchWith(this.pages, place)
    return page && blockWith(await this.file.page(page, this.format), place, name)
  }

  /** Blocks in which something may be from a place on, and before another one. */
  async *between(from: Place, to: Place): AsyncGenerator<BlockEntry> {
    for (const page of spanning(this.pages, from, to)) {
      yield* spanning(await this.file.page(page, this.format), from, to)
    }
  }

  /** Blocks in their order, or from the end. */
  async *blocks({ descending, after, isWanted }: Walk): AsyncGenerator<BlockEntry> {
    const isAhead = (stretch: Stretch): boolean => {
      if (after === null) return true
      return descending ? comparePlaces(stretch.first, after) < 0 : comparePlaces(stretch.last, after) > 0
    }
    for (const page of inOrder(this.pages, descending)) {
      if (!isAhead(page) || !isWanted(page)) continue
      for (const block of inOrder(await this.file.page(page, this.format), descending)) {
        if (isAhead(block) && isWanted(block)) yield block
      }
    }
  }
}

/** Forwards or backwards, without a copy. */
export function* inOrder<V>(values: readonly V[], descending: boolean): Generator<V> {
  for (let i = 0; i < values.length; i++) yield values[descending ? values.length - 1 - i : i] as V
}

function blockWith(blocks: readonly BlockEntry[], place: Place, name: string): BlockEntry | null {
  const block = stretchWith(blocks, place)
  return block?.filter?.has(name) === false ? null : block
}

function* spanning<S extends Stretch>(stretches: readonly S[], from: Place, to: Place): Generator<S> {
  for (let nth = firstReaching(stretches, from); nth < stretches.length; nth++) {
    const stretch = stretches[nth] as S
    if (comparePlaces(stretch.first, to) >= 0) return
    yield stretch
  }
}

/** They are sorted and do not overlap. */
function firstReaching(stretches: readonly Stretch[], place: Place): number {
  return countWhile(stretches, ({ last }) => comparePlaces(last, place) < 0)
}

/** The one stretch that spans the place. */
function stretchWith<S extends Stretch>(stretches: readonly S[], place: Place): S | null {
  const found = stretches[firstReaching(stretches, place)]
  return found !== undefined && comparePlaces(found.first, place) <= 0 ? found : null
}
