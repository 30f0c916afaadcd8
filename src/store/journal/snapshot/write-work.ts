import { crc32 } from 'node:zlib'
import type { WorkEntries, WorkListName } from '../../live/stored-work.ts'
import type { BlockFileWriter } from '../blocks/block-file-writer.ts'
import { deflateMember } from '../blocks/member.ts'
import { BETWEEN_LINES } from './record-line.ts'
import { SEPARATOR } from './run-writer.ts'
import type { WorkBlock, WorkSection } from './work-section.ts'

/** What there is to do, each list in its order. */
export type WorkLists = { readonly [L in WorkListName]: Iterable<WorkEntries[L]> }

export const NO_WORK: WorkLists = { due: [], ready: [], waiting: [], rows: [], slots: [] }

/** How many entries follow each other that begin alike: what they begin with, and their number. */
export type Groups = (string | number)[][]

const ELEMENTS_OF_GROUP = { ready: 3, slots: 2 } as const

/** A block is inflated for a single entry, so it is small. */
const ENTRIES_PER_BLOCK = 256

export async function writeWork(file: BlockFileWriter, lists: WorkLists): Promise<WorkSection> {
  const writer = new WorkWriter(file)
  const groups: Groups = []
  const limits: Groups = []
  await writer.text(',\n"work":{\n"due":[\n')
  const due = await writer.list(lists.due)
  await writer.text('\n],\n"ready":[\n')
  const ready = await writer.list(grouped('ready', lists.ready, groups))
  await writer.text('\n],\n"waiting":[\n')
  const waiting = await writer.list(lists.waiting)
  await writer.text('\n],\n"rows":[\n')
  const rows = await writer.list(lists.rows)
  await writer.text('\n],\n"slots":[\n')
  const slots = await writer.list(grouped('slots', lists.slots, limits))
  await writer.text('\n]}')
  return {
    ...writer.extent,
    lists: { due, ready, waiting, rows, slots },
    groups: groups as unknown as WorkSection['groups'],
    limits: limits as unknown as WorkSection['limits'],
  }
}

class WorkWriter {
  readonly #file: BlockFileWriter
  readonly #at: number
  #crc = 0

  constructor(file: BlockFileWriter) {
    this.#file = file
    this.#at = file.size
  }

  get extent(): { readonly at: number; readonly bytes: number; readonly crc: number } {
    return { at: this.#at, bytes: this.#file.size - this.#at, crc: this.#crc }
  }

  text(text: string): Promise<number> {
    return this.#member(deflateMember(text))
  }

  async list<E>(entries: Iterable<E>): Promise<readonly WorkBlock<E>[]> {
    const blocks: WorkBlock<E>[] = []
    let block: E[] = []
    const end = async () => {
      if (blocks.length > 0) await this.#member(SEPARATOR)
      const member = deflateMember(block.map((entry) => JSON.stringify(entry)).join(BETWEEN_LINES))
      blocks.push([await this.#member(member), member.length, block.length, block[0] as E])
      block = []
    }
    for (const entry of entries) {
      block.push(entry)
      if (block.length === ENTRIES_PER_BLOCK) await end()
    }
    if (block.length > 0) await end()
    return blocks
  }

  /** Where it stands in the section. */
  async #member(member: Uint8Array): Promise<number> {
    this.#crc = crc32(member, this.#crc)
    const { at } = await this.#file.copy(member)
    return at - this.#at
  }
}

/** Notes the groups as their entries pass by. */
export function* grouped<L extends keyof typeof ELEMENTS_OF_GROUP>(
  list: L,
  entries: Iterable<WorkEntries[L]>,
  groups: Groups,
): Generator<WorkEntries[L]> {
  const length = ELEMENTS_OF_GROUP[list]
  for (const entry of entries) {
    const start = entry.slice(0, length) as (string | number)[]
    const last = groups.at(-1)
    if (last !== undefined && start.every((element, i) => element === last[i])) (last[length] as number)++
    else groups.push([...start, 1])
    yield entry
  }
}
