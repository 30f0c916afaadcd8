import { crc32, gunzipSync, gzipSync } from 'node:zlib'
import { LedgerDamaged } from '../../../errors/journal-errors.ts'

/** Fast, and as small as the slower levels on what we write. */
const LEVEL = 3

/** More than any member holds when inflated; a damaged one must not fill the memory. */
const LARGEST_MEMBER_BYTES = 256 * 1024 * 1024

/** No compressor does better than this, so a member that claims to is damaged. */
const LARGEST_RATIO = 1032

/** How a stored member begins; deflate puts at most 65,535 bytes into one stored block. */
const STORED_HEADER_BYTES = 15
const LARGEST_STORED_BYTES = 65_535

/** The gzip header says which system wrote it. Ours says "unknown", so that equal texts are equal bytes everywhere. */
const SYSTEM_AT = 9
const SYSTEM_UNKNOWN = 255

/** Where a member is in its file. */
export interface Extent {
  readonly at: number
  readonly bytes: number
}

export function deflateMember(text: string | Uint8Array, level: number = LEVEL): Uint8Array {
  const member = gzipSync(text, { level })
  member[SYSTEM_AT] = SYSTEM_UNKNOWN
  return member
}

/**
 * Its size depends only on the length of the text, so that it can be found from the end of a file. Made by hand,
 * since what is asked of it is more than any version of zlib promises: these bytes and no others.
 */
export function storedMember(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  if (bytes.length > LARGEST_STORED_BYTES) throw new RangeError(`${bytes.length} bytes do not fit`)
  const member = Buffer.alloc(STORED_HEADER_BYTES + bytes.length + 8)
  member.set([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, SYSTEM_UNKNOWN, 1])
  member.writeUInt16LE(bytes.length, 11)
  member.writeUInt16LE(~bytes.length & 0xffff, 13)
  member.set(bytes, STORED_HEADER_BYTES)
  member.writeUInt32LE(crc32(bytes), member.length - 8)
  member.writeUInt32LE(bytes.length, member.length - 4)
  return member
}

/** The text of a member, checked by its own CRC. */
export function inflateMember(bytes: Uint8Array, file: string, at: number): Buffer {
  try {
    // In one piece: a member ends with the size of its text. A wrong one costs time, not correctness.
    const chunkSize = Math.max(64, Math.min(claimedSize(bytes), LARGEST_MEMBER_BYTES) + 1)
    return gunzipSync(bytes, { chunkSize, maxOutputLength: LARGEST_MEMBER_BYTES })
  } catch (error) {
    throw LedgerDamaged.by(error, { file, byte: at }, 'the block there is damaged')
  }
}

function claimedSize(bytes: Uint8Array): number {
  if (bytes.length < 4) return 0
  const claimed = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(bytes.length - 4, true)
  return Math.min(claimed, bytes.length * LARGEST_RATIO)
}
