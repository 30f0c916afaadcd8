import { gunzipSync } from 'node:zlib'

/** How a member of gzip begins. */
const MEMBER = Buffer.from([0x1f, 0x8b, 0x08])

/** The text of all members of a file that can still be inflated, in their order, whatever became of the others. */
export function readableText(bytes: Buffer): Buffer {
  const starts: number[] = []
  for (let at = bytes.indexOf(MEMBER); at !== -1; at = bytes.indexOf(MEMBER, at + 1)) starts.push(at)
  const texts: Buffer[] = []
  for (let i = 0; i < starts.length; ) {
    const next = endOfMember(bytes, starts, i, texts)
    i = next
  }
  return Buffer.concat(texts)
}

/** The bytes that a member begins with may also be inside of one: it ends where it can be inflated. */
const MOST_FALSE_STARTS = 4

function endOfMember(bytes: Buffer, starts: readonly number[], from: number, texts: Buffer[]): number {
  for (let to = from + 1; to <= Math.min(from + 1 + MOST_FALSE_STARTS, starts.length); to++) {
    try {
      texts.push(gunzipSync(bytes.subarray(starts[from], starts[to])))
      return to
    } catch {
      // Damaged, or cut in the middle.
    }
  }
  // So that lines before and after it are not taken for one.
  texts.push(Buffer.from('\n'))
  return from + 1
}
