import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import { type Extent, inflateMember, storedMember } from './member.ts'

/** The last member of a file of blocks: where the index is, and the checksum of everything before. */
export interface Trailer {
  readonly index: Extent
  readonly sha256: string
}

/** What stands around the trailer, so that the whole file is one text of its kind. */
export interface Dress {
  readonly before: string
  readonly after: string
}

const DIGITS = 15

export function encodeTrailer({ index, sha256 }: Trailer, dress: Dress): Uint8Array {
  const fields = { index_at: padded(index.at), index_bytes: padded(index.bytes), sha256 }
  return storedMember(`${dress.before}${JSON.stringify(fields)}${dress.after}`)
}

export function trailerBytes(dress: Dress): number {
  return encodeTrailer({ index: { at: 0, bytes: 0 }, sha256: '0'.repeat(64) }, dress).length
}

export function decodeTrailer(bytes: Uint8Array, dress: Dress, file: string, at: number): Trailer {
  const text = inflateMember(bytes, file, at).toString('utf8')
  const found =
    text.startsWith(dress.before) &&
    /^\{"index_at":"(\d{15})","index_bytes":"(\d{15})","sha256":"([0-9a-f]{64})"\}/.exec(
      text.slice(dress.before.length),
    )
  if (!found) throw new LedgerDamaged({ file, byte: at }, 'the trailer is not one')
  const [, index_at, index_bytes, sha256] = found
  const trailer = { index: { at: Number(index_at), bytes: Number(index_bytes) }, sha256: sha256 as string }
  // No checksum covers the trailer, and gzip's own covers only the text: every byte has to be the expected one.
  if (Buffer.compare(encodeTrailer(trailer, dress), bytes) === 0) return trailer
  throw new LedgerDamaged({ file, byte: at }, 'the trailer was changed')
}

function padded(n: number): string {
  return String(n).padStart(DIGITS, '0')
}
