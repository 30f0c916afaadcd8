import type { LedgerRecord, RecordOf } from '../../../core/aggregate.ts'
import type { RecordKind } from '../../../core/machines/all.ts'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import type { FindOrder } from '../../capabilities.ts'
import { NearestPlaces } from '../../nearest-places.ts'
import { comparePlaces, type Place } from '../../place.ts'
import type { FindQuery } from '../../query.ts'
import type { BlockEntry, Stretch } from './page.ts'
import { keyOfLine, linesOf, parseRecordLine } from './record-line.ts'
import { changedPlace, stateOfChangedLine } from './run-format.ts'
import { inOrder, type RunReader } from './run-reader.ts'
import { TABLE_OF } from './tables.ts'
import { Wanted } from './wanted.ts'

export interface FindPart {
  /** Nothing up to here, in the order and direction of the query; null: from the beginning. */
  readonly after: Place | null
  /** How many. */
  readonly size: number
  /** Whether something newer stands in its place, wherever that is. */
  readonly shadowed: (tenant_id: string, id: string) => boolean
}

/** Where `find` looks. */
export interface SearchedRuns {
  readonly records: RunReader
  readonly byChanged: RunReader
  get(tenant_id: string, id: string): Promise<LedgerRecord | null>
}

/** So many records may be fetched in vain before all of them are looked through instead. */
const FETCHED_IN_VAIN = 256

/**
 * Three ways through the records. By id, blocks are read in their order until there is enough. By time of
 * change, the list says what comes next, and each record is fetched from its own block: cheap when most of them are
 * wanted. When most are not, all blocks are read once instead, whatever their order, and the first few are kept.
 */
export async function findInSnapshot<K extends RecordKind>(
  runs: SearchedRuns,
  query: FindQuery<K>,
  order: FindOrder,
  part: FindPart,
): Promise<RecordOf[K][]> {
  const finder = new Finder(runs, query, part)
  if (order === 'id') return await finder.byId()
  return (await finder.byChanged()) ?? (await finder.byLookingThroughAll())
}

class Finder<K extends RecordKind> {
  readonly #runs: SearchedRuns
  readonly #wanted: Wanted<K>
  readonly #part: FindPart
  readonly #descending: boolean

  constructor(runs: SearchedRuns, query: FindQuery<K>, part: FindPart) {
    this.#runs = runs
    this.#wanted = new Wanted(query, part.shadowed)
    this.#part = part
    this.#descending = query.direction === 'desc'
  }

  async byId(): Promise<RecordOf[K][]> {
    const found: RecordOf[K][] = []
    const { records } = this.#runs
    const { after, size } = this.#part
    const isWanted = (stretch: Stretch) => this.#wanted.mayBeBetween(stretch)
    for await (const block of records.blocks({ descending: this.#descending, after, isWanted })) {
      const lines = await this.#lines(records, block)
      for (const line of inOrder(lines, this.#descending)) {
        if (found.length === size) return found
        if (!this.#wanted.mayBeLine(line) || !this.#isAhead({ at: 0, ...keyOfLine(line) })) continue
        const record = this.#parsed(block, line)
        if (this.#wanted.matches(record)) found.push(record)
      }
    }
    return found
  }

  /** Null when too much of what it fetched was not wanted. */
  async byChanged(): Promise<RecordOf[K][] | null> {
    const found: RecordOf[K][] = []
    const { byChanged, records } = this.#runs
    const { after, size } = this.#part
    let inVain = 0
    const isWanted = (stretch: Stretch) => this.#wanted.mayBeIn(stretch)
    for await (const block of byChanged.blocks({ descending: this.#descending, after, isWanted })) {
      const lines = linesOf((await byChanged.file.passingBlock(block)).toString('utf8'))
      for (const line of inOrder(lines, this.#descending)) {
        if (found.length === size) return found
        const place = byChanged.format.placeOfLine(line)
        if (!this.#isAhead(place) || !this.#mayBeListed(place, line)) continue
        const record = await this.#runs.get(place.tenant_id, place.id)
        if (record === null) throw this.#contradiction(block, place)
        if (this.#wanted.matches(record)) found.push(record)
        else if (++inVain > Math.max(FETCHED_IN_VAIN, records.blockCount / 4)) return null
      }
    }
    return found
  }

  async byLookingThroughAll(): Promise<RecordOf[K][]> {
    const nearest = new NearestPlaces<RecordOf[K]>(this.#part.size, this.#descending)
    const { records } = this.#runs
    const isWanted = (stretch: Stretch) => {
      const { changed } = stretch.header
      return (changed === null || nearest.mayKeep(changed)) && this.#wanted.mayBeBetween(stretch)
    }
    for await (const block of records.blocks({ descending: this.#descending, after: null, isWanted })) {
      for (const line of await this.#lines(records, block)) {
        if (!this.#wanted.mayBeLine(line)) continue
        const record = this.#parsed(block, line)
        if (!this.#wanted.matches(record)) continue
        const { tenant_id, id } = keyOfLine(line)
        const place = changedPlace(record, tenant_id, id)
        if (this.#isAhead(place)) nearest.add(place, record)
      }
    }
    return nearest.values()
  }

  /** None when the text as a whole has not what every line would need. */
  async #lines(run: RunReader, block: BlockEntry): Promise<readonly string[]> {
    const text = (await run.file.passingBlock(block)).toString('utf8')
    return this.#wanted.mayBeLine(text) ? linesOf(text) : []
  }

  #parsed(block: BlockEntry, line: string): LedgerRecord {
    const table = TABLE_OF[this.#wanted.query.kind]
    return this.#runs.records.file.understood(block, () => parseRecordLine(table, line).value)
  }

  #isAhead(place: Place): boolean {
    const { after } = this.#part
    if (after === null) return true
    return this.#descending ? comparePlaces(place, after) < 0 : comparePlaces(place, after) > 0
  }

  #mayBeListed({ at, tenant_id, id }: Place, line: string): boolean {
    const { changedFrom, changedBefore } = this.#wanted.query
    if (at < (changedFrom ?? at) || (changedBefore !== undefined && at >= changedBefore)) return false
    return this.#wanted.mayHaveState(stateOfChangedLine(line)) && this.#wanted.isInPlace(tenant_id, id)
  }

  #contradiction({ at }: BlockEntry, { tenant_id, id }: Place): LedgerDamaged {
    const what = `the list by time of change has ${tenant_id} ${id}, the records do not`
    return new LedgerDamaged({ file: this.#runs.records.file.reader.path, byte: at }, what)
  }
}
