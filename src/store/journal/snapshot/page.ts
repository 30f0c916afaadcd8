import type { Place } from '../../place.ts'
import { IdFilter } from '../blocks/id-filter.ts'
import type { Extent } from '../blocks/member.ts'
import type { BlockHeader } from './block-header.ts'
import { BETWEEN_LINES } from './record-line.ts'
import type { PlaceText, RunFormat } from './run-format.ts'
import type { TableName } from './tables.ts'

/** A stretch of a run: what is known of it without reading it. */
export interface Stretch {
  readonly first: Place
  readonly last: Place
  readonly records: number
  readonly header: BlockHeader
}

/** A block, as its page describes it. */
export interface BlockEntry extends Stretch, Extent {
  /** Of the keys in it; null where the run has none. */
  readonly filter: IdFilter | null
}

/** A page, as the index describes it. */
export interface PageEntry extends Stretch, Extent {
  /** Where its blocks are, from the first byte of the first to the last byte of the last. */
  readonly from: number
  readonly to: number
  readonly blocks: number
}

interface StretchText {
  readonly first: PlaceText
  readonly last: PlaceText
  readonly records: number
  readonly changed?: readonly [number, number]
  readonly values?: BlockHeader['values']
}

type BlockText = Extent & StretchText & { readonly filter?: string }

export type PageText = Extent &
  StretchText & { readonly from: number; readonly to: number; readonly blocks: number }

/**
 * Where a block is counts from the first block of its page: a page of which nothing changed is then copied with all
 * its blocks, wherever they go.
 */
export function encodePage(table: TableName, format: RunFormat, entries: readonly BlockEntry[]): string {
  const from = entries[0]?.at ?? 0
  const blocks = entries.map((entry) => {
    const text: BlockText = {
      at: entry.at - from,
      bytes: entry.bytes,
      ...encodeStretch(entry, format),
      ...(entry.filter === null ? {} : { filter: entry.filter.toString() }),
    }
    return JSON.stringify(text)
  })
  return `{"table":"${table}","run":"${format.name}","blocks":[\n${blocks.join(BETWEEN_LINES)}\n]}`
}

export function decodePage(text: string, format: RunFormat, from: number): BlockEntry[] {
  const { blocks } = JSON.parse(text) as { readonly blocks: readonly BlockText[] }
  return blocks.map((block) => ({
    at: from + block.at,
    bytes: block.bytes,
    ...decodeStretch(block, format),
    filter: block.filter === undefined ? null : IdFilter.parse(block.filter),
  }))
}

export function encodePageEntry(entry: PageEntry, format: RunFormat): PageText {
  const { at, bytes, from, to, blocks } = entry
  return { at, bytes, from, to, blocks, ...encodeStretch(entry, format) }
}

export function decodePageEntry(text: PageText, format: RunFormat): PageEntry {
  const { at, bytes, from, to, blocks } = text
  return { at, bytes, from, to, blocks, ...decodeStretch(text, format) }
}

function encodeStretch({ first, last, records, header }: Stretch, format: RunFormat): StretchText {
  return {
    first: format.placeText(first),
    last: format.placeText(last),
    records,
    ...(header.changed === null ? {} : { changed: header.changed, values: header.values }),
  }
}

function decodeStretch(text: StretchText, format: RunFormat): Stretch {
  return {
    first: format.parsePlace(text.first),
    last: format.parsePlace(text.last),
    records: text.records,
    header: { changed: text.changed ?? null, values: text.values ?? {} },
  }
}
