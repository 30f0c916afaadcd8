import { LedgerLocked, type LockHolder } from '../../errors/journal-errors.ts'
import type { Disk, DiskLock } from '../../world/disk.ts'

const LOCK = 'LOCK'
const HOLDER = 'LOCK.json'

/** Longer than what anybody says of themselves. */
const HOLDER_BYTES = 10_000

/** Takes a ledger's folder for writing, or says who has it. The kernel frees it when the process ends, however it ends. */
export async function lockJournal(disk: Disk, folder: string, holder: LockHolder): Promise<DiskLock> {
  const lock = await disk.lock(`${folder}/${LOCK}`)
  if (lock === null) throw new LedgerLocked(folder, await readHolder(disk, folder))
  try {
    await writeHolder(disk, folder, holder)
  } catch (error) {
    await lock.release()
    throw error
  }
  return {
    release: async () => {
      await disk.remove(`${folder}/${HOLDER}`).catch(() => {})
      await lock.release()
    },
  }
}

async function writeHolder(disk: Disk, folder: string, holder: LockHolder): Promise<void> {
  const file = await disk.open(`${folder}/${HOLDER}`)
  try {
    const bytes = Buffer.from(`${JSON.stringify(holder)}\n`)
    await file.truncate(0)
    await file.write(0, bytes)
  } finally {
    await file.close()
  }
}

/** It is only for people to read: whatever is wrong with it, the lock is what counts. */
async function readHolder(disk: Disk, folder: string): Promise<LockHolder | null> {
  const file = await disk.openToRead(`${folder}/${HOLDER}`)
  if (file === null) return null
  try {
    const { pid, server } = JSON.parse(Buffer.from(await file.read(0, HOLDER_BYTES)).toString())
    return typeof pid === 'number' ? { pid, server: typeof server === 'string' ? server : null } : null
  } catch {
    return null
  } finally {
    await file.close()
  }
}
