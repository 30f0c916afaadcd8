import { LedgerDamaged, UnknownFormat } from '../../../errors/journal-errors.ts'
import type { DiskReader } from '../../../world/disk.ts'
import { hasChecksum } from '../lines/checksum.ts'
import {
  countLines,
  holdsLineOfOtherBatch,
  isBlank,
  type ParsedBatch,
  parseBatches,
  skipBlank,
  type Trouble,
} from './parse-batches.ts'

const READ_BYTES = 1024 * 1024

/** Longer than any header. */
const HEADER_BYTES = 1024

/** What is written. Everything that an older version writes is read as well, and means the same. */
export const DELTA_VERSION = '1.2'

const KNOWN_VERSIONS: readonly string[] = ['1.0', '1.1', DELTA_VERSION]

export interface DeltaHeader {
  readonly waybill: 'delta'
  readonly version: string
  readonly first_seq: number
  readonly created_at: string
}

/** A place between two batches. */
export interface DeltaPlace {
  readonly at: number
  readonly seq: number
}

/** Where a delta goes on. */
export interface DeltaEnd {
  readonly path: string
  readonly place: DeltaPlace
  /** Where the last whole batch begins; the same place when there is none. */
  readonly lastBatchAt: number
  readonly version: string
}

/** What comes after the last whole batch. */
export interface DeltaRest extends DeltaPlace {
  readonly bytes: Buffer
  readonly trouble: Trouble | null
}

/** What there is of a batch that a crash cut off, and where. */
export interface TornBytes {
  readonly at: number
  readonly bytes: Buffer
}

/** Where the first batch begins. */
export interface DeltaStart extends DeltaPlace {
  readonly version: string
}

export async function readHeader(file: DiskReader, path: string): Promise<DeltaStart> {
  const bytes = bufferOf(await file.read(0, HEADER_BYTES))
  const end = bytes.indexOf('\n')
  const line = bytes.subarray(0, end === -1 ? 0 : end)
  if (!hasChecksum(line)) throw new LedgerDamaged({ file: path, line: 1, byte: 0 }, 'the header is damaged')
  const header = JSON.parse(line.toString('utf8')) as DeltaHeader
  if (!KNOWN_VERSIONS.includes(header.version)) throw new UnknownFormat(path, header.version)
  return { at: end + 1, seq: header.first_seq, version: header.version }
}

/** Whole batches from a place on, and what is left after them. */
export async function* readBatches(
  file: DiskReader,
  from: DeltaPlace,
): AsyncGenerator<readonly ParsedBatch[], DeltaRest> {
  let { at, seq } = from
  for (let length = READ_BYTES; ; ) {
    const bytes = bufferOf(await file.read(at, length))
    const { batches, end, trouble } = parseBatches(bytes, at, seq, bytes.length === length)
    const last = batches.at(-1)
    if (last !== undefined) yield batches
    seq = (last?.lastSeq ?? seq - 1) + 1
    if (bytes.length < length) return { at: end, seq, bytes: bytes.subarray(end - at), trouble }
    // A batch that does not fit is read again from its beginning, with more after it.
    length = last === undefined ? 2 * length : READ_BYTES
    at = end
  }
}

/**
 * What a crash left half-written, to be cut off; null when there is nothing of it. Anything else that is not a
 * batch is damage.
 */
export async function tornBytes(
  file: DiskReader,
  path: string,
  { at, bytes, seq, trouble }: DeltaRest,
  isNewest: boolean,
): Promise<TornBytes | null> {
  if (trouble === null || isBlank(bytes)) return null
  if (isNewest && !holdsLineOfOtherBatch(bytes, seq)) {
    const blank = skipBlank(bytes, 0)
    return { at: at + blank, bytes: bytes.subarray(blank) }
  }
  const before = bufferOf(await file.read(0, trouble.at))
  throw new LedgerDamaged({ file: path, line: countLines(before) + 1, byte: trouble.at }, trouble.what)
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
