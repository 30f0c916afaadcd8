import { LedgerDamaged, UnknownFormat } from '../../../errors/journal-errors.ts'
import type { BlockFileReader } from '../blocks/block-file-reader.ts'
import type { Extent } from '../blocks/member.ts'
import type { Dress } from '../blocks/trailer.ts'
import type { Header } from './header.ts'
import type { SegmentFile } from './segment-name.ts'

/**
 * A segment is JSONL from beginning to end, in members of gzip:
 *
 *   blocks           the lines of the delta, as they were
 *   {"ids":…}        which records the blocks of the first page may be about: a filter
 *   {"page":…}       the headers of these blocks
 *   …                and so on, page by page
 *   {"durations":…}
 *   {"index":…}
 *   {"trailer":…}
 */

export const VERSION = '1.0'

export const DRESS: Dress = { before: '{"trailer":', after: '}\n' }

export interface BlockHeader extends Extent, Header {
  /** An `IdFilter` of the ids, job ids and document ids in the block. */
  readonly ids: string
}

export interface PageHeader extends Extent, Header {
  /** Where the filter is that is for the whole page. */
  readonly ids: Extent
}

export interface SegmentIndex extends Header {
  readonly version: string
  /** The segment before this one. */
  readonly previous: SegmentLink | null
  readonly pages: readonly PageHeader[]
  /** Where the durations of all records are, added up; null when there are too many kinds of them. */
  readonly durations: Extent | null
}

/** Names a segment and all its bytes. */
export interface SegmentLink {
  readonly name: string
  readonly sha256: string
}

export type MemberName = 'ids' | 'page' | 'durations' | 'index'

export function encodeMember(name: MemberName, content: unknown): string {
  return `${JSON.stringify({ [name]: content })}\n`
}

/** What a member other than a block holds; `at` is where it begins. */
export function decodeMember<T>(name: MemberName, text: Buffer, file: string, at: number): T {
  const member = parseObject(text.toString('utf8'))
  if (member === null || !Object.hasOwn(member, name)) {
    throw new LedgerDamaged({ file, byte: at }, `there is no ${name} there`)
  }
  return member[name] as T
}

export async function readIndex(
  file: BlockFileReader,
  { path, ...name }: SegmentFile,
): Promise<SegmentIndex> {
  const index = decodeMember<SegmentIndex>('index', await file.index(), path, 0)
  if (!/^1\./.test(index.version)) throw new UnknownFormat(path, index.version)
  if (index.first_seq === name.firstSeq && index.last_seq === name.lastSeq) return index
  const { first_seq, last_seq } = index
  throw new LedgerDamaged(
    { file: path, byte: 0 },
    `it holds seq ${first_seq} to ${last_seq}, not what its name says`,
  )
}

/** Null when the text is not a JSON object. */
export function parseObject(text: string): { readonly [name: string]: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? (value as { readonly [name: string]: unknown } | null) : null
  } catch {
    return null
  }
}
