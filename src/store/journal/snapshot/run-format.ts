import type { LedgerRecord } from '../../../core/aggregate.ts'
import type { Place } from '../../place.ts'
import { changeTime } from './block-header.ts'
import { endOfString, joinKey, keyText, parseKey, splitKey } from './key-text.ts'
import { keyOfLine } from './record-line.ts'

/** A place as pages and index write it: the key, or time and key. */
export type PlaceText = string | readonly [at: number, key: string]

/**
 * A run is a sorted sequence of lines in blocks. Each table has one of its records, and one that lists them again by the
 * time of their last change; there it is only what is needed to find the record, and its state.
 */
export interface RunFormat {
  readonly name: RunName
  placeOfLine(line: string): Place
  placeText(place: Place): PlaceText
  parsePlace(text: PlaceText): Place
  /** How many lines make a block, and how much text, unless a single line is longer. */
  readonly linesPerBlock: number
  readonly charsPerBlock: number
  /** How many blocks a page lists. */
  readonly blocksPerPage: number
  /** Whether blocks have a filter of what is in them. */
  readonly filtered: boolean
}

export type RunName = 'records' | 'by_changed'

const RECORDS: RunFormat = {
  name: 'records',
  placeOfLine: (line) => ({ at: 0, ...keyOfLine(line) }),
  placeText: ({ tenant_id, id }) => joinKey(tenant_id, id),
  parsePlace: (text) => ({ at: 0, ...splitKey(text as string) }),
  linesPerBlock: 256,
  charsPerBlock: 64 * 1024,
  blocksPerPage: 256,
  filtered: true,
}

const BY_CHANGED: RunFormat = {
  name: 'by_changed',
  placeOfLine: placeOfChangedLine,
  placeText: ({ at, tenant_id, id }) => [at, joinKey(tenant_id, id)],
  parsePlace: (text) => ({ at: text[0] as number, ...splitKey(text[1] as string) }),
  // Short lines, and read in long stretches.
  linesPerBlock: 512,
  charsPerBlock: 64 * 1024,
  blocksPerPage: 256,
  filtered: false,
}

export const RUN_FORMATS: { readonly [R in RunName]: RunFormat } = {
  records: RECORDS,
  by_changed: BY_CHANGED,
}

/** When a record last changed, its key, and its state. */
export function changedLine({ at, tenant_id, id }: Place, record: LedgerRecord): string {
  return `[${at},${keyText(tenant_id, id)},${JSON.stringify(record.state)}]`
}

export function changedPlace(record: LedgerRecord, tenant_id: string, id: string): Place {
  return { at: changeTime(record), tenant_id, id }
}

/** Not by way of JSON: compaction does this for many lines of which it wants nothing else. */
function placeOfChangedLine(line: string): Place {
  const comma = line.indexOf(',')
  const key = line.slice(comma + 1, endOfString(line, comma + 1))
  return { at: Number(line.slice(1, comma)), ...parseKey(key) }
}

export function stateOfChangedLine(line: string): string {
  const comma = line.indexOf(',')
  return JSON.parse(line.slice(endOfString(line, comma + 1) + 1, -1))
}
