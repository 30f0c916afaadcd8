import { crc32 } from 'node:zlib'
import { idOf, type LedgerRecord } from '../../../core/aggregate.ts'
import { comparePlaces, type Place } from '../../place.ts'
import { covers, HeaderBuilder } from './block-header.ts'
import type { BlockEntry } from './page.ts'
import { keyTextOf, parseRecordLine } from './record-line.ts'
import { changedLine, changedPlace, type RunFormat, stateOfChangedLine } from './run-format.ts'
import { isRecordTable, type TableName } from './tables.ts'
import type { WorkCheck } from './work-check.ts'

/** Looks into the records of a table, and whether the list by time of change is of the same ones. */
export class TableCheck {
  readonly #table: TableName
  readonly #work: WorkCheck
  /** Sums over the records and over the list: equal for the same lines, in whatever order. */
  #records = 0
  #listed = 0

  constructor(table: TableName, work: WorkCheck) {
    this.#table = table
    this.#work = work
  }

  get isListComplete(): boolean {
    return this.#records === this.#listed
  }

  /** What is wrong with the lines of a block. */
  problems(format: RunFormat, block: BlockEntry, lines: readonly string[]): string[] {
    const problems: string[] = []
    const header = new HeaderBuilder()
    let before: Place | null = null
    for (const line of lines) {
      const place = format.placeOfLine(line)
      if (before !== null && comparePlaces(before, place) >= 0) problems.push(`${line} is out of order`)
      before = place
      if (block.filter?.has(keyTextOf(line)) === false)
        problems.push(`the filter does not know ${keyTextOf(line)}`)
      if (format.name === 'by_changed') this.#addListed(line)
      else this.#record(line, header, problems)
    }
    if (!covers(block.header, header.build())) problems.push('the header does not cover its records')
    return problems
  }

  #addListed(line: string): void {
    if (typeof stateOfChangedLine(line) === 'string') this.#listed = (this.#listed + crc32(line)) >>> 0
  }

  #record(line: string, header: HeaderBuilder, problems: string[]): void {
    const { tenant_id, id, value } = parseRecordLine(this.#table, line)
    if (!isRecordTable(this.#table)) {
      const expected = this.#table === 'claims' ? 'string' : 'number'
      if (typeof value !== expected) problems.push(`${line} is not a ${expected}`)
      return
    }
    const record = value as LedgerRecord
    header.add(record)
    if (record.tenant_id !== tenant_id || idOf(record) !== id)
      problems.push(`${line} stands under another key`)
    this.#work.record(record)
    const listed = changedLine(changedPlace(record, tenant_id, id), record)
    this.#records = (this.#records + crc32(listed)) >>> 0
  }
}
