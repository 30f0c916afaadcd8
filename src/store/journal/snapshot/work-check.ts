import { crc32 } from 'node:zlib'
import { isOpenRow, type LedgerRecord } from '../../../core/aggregate.ts'
import {
  compareEntries,
  rowEntry,
  type SortedList,
  type StoredWork,
  WORK_LISTS,
  type WorkListName,
  workOfJob,
} from '../../live/stored-work.ts'
import { type Groups, grouped } from './write-work.ts'

/** Whether what there is to do is listed as the records say. */
export class WorkCheck {
  /** Sums over what the records say and over what is listed: equal for the same entries, in whatever order. */
  #said = 0
  #listed = 0

  record(record: LedgerRecord): void {
    if (record.kind === 'outbox' && isOpenRow(record)) this.#say('rows', [rowEntry(record)])
    if (record.kind !== 'job') return
    const { due, ready, waiting } = workOfJob(record)
    this.#say('due', due)
    this.#say('ready', ready)
    this.#say('waiting', waiting)
  }

  /** What is wrong with the lists, and with `complete` also whether they are of the records seen before. */
  problems(stored: StoredWork, complete: boolean): string[] {
    const problems: string[] = []
    for (const name of WORK_LISTS) {
      let before: readonly unknown[] | null = null
      for (const entry of all<readonly unknown[]>(stored[name])) {
        if (before !== null && compareEntries(before, entry) >= 0) {
          problems.push(`${name}: ${JSON.stringify(entry)} is out of order`)
        }
        before = entry
        if (name !== 'slots') this.#listed = (this.#listed + sumOf(name, entry)) >>> 0
      }
    }
    for (const [name, said] of [
      ['ready', stored.groups],
      ['slots', stored.limits],
    ] as const) {
      const groups: Groups = []
      for (const _ of grouped(name, all(stored[name] as SortedList<never>), groups));
      if (JSON.stringify(groups) === JSON.stringify(said)) continue
      problems.push(`${name}: the groups are not those of the entries`)
    }
    if (complete && this.#said !== this.#listed) problems.push('the work listed is not that of the open jobs')
    return problems
  }

  #say(list: WorkListName, entries: readonly (readonly unknown[])[]): void {
    for (const entry of entries) this.#said = (this.#said + sumOf(list, entry)) >>> 0
  }
}

function* all<E>(list: SortedList<E>): Generator<E> {
  for (let index = 0; index < list.length; index++) yield list.at(index)
}

function sumOf(list: WorkListName, entry: readonly unknown[]): number {
  return crc32(JSON.stringify([list, entry]))
}
