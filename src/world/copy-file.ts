import type { Disk } from './disk.ts'
import { NewFile, unfinishedPath } from './new-file.ts'

/** Read in pieces of this size. */
const PIECE_BYTES = 1024 * 1024

/** Whether two files are there and hold the same. */
export async function isSame(disk: Disk, a: string, b: string): Promise<boolean> {
  const readers = [await disk.openToRead(a), await disk.openToRead(b)] as const
  try {
    const [one, other] = readers
    if (one === null || other === null || (await one.size()) !== (await other.size())) return false
    for (let at = 0; ; at += PIECE_BYTES) {
      const [piece, same] = await Promise.all([one.read(at, PIECE_BYTES), other.read(at, PIECE_BYTES)])
      if (Buffer.compare(piece, same) !== 0) return false
      if (piece.length < PIECE_BYTES) return true
    }
  } finally {
    for (const reader of readers) await reader?.close()
  }
}

/** Copies a file that is there under a new name, and reads the copy again to see that it is the same. */
export async function copyFile(disk: Disk, from: string, to: string): Promise<void> {
  const reader = await disk.openToRead(from)
  if (reader === null) throw new Error(`${from} is gone`)
  const copy = await NewFile.create(disk, to)
  try {
    await copy.addFile(reader)
    await copy.flush(1)
    if (!(await isSame(disk, from, unfinishedPath(to)))) throw new Error(`${to} is not the same as ${from}`)
    await copy.finish()
  } catch (error) {
    await copy.discard().catch(() => {})
    throw error
  } finally {
    await reader.close()
  }
}
