// Who has a ledger's folder open for writing. The lock itself is the kernel's, which frees it when the process ends, however
// it ends. Beside it is a file that says who that is and, when it is a server, where it answers and how programs of the same
// user get in: so only its owner may read it.
import { LedgerLocked, type LockHolder } from '../../errors/journal-errors.ts'
import type { Disk, DiskLock } from '../../world/disk.ts'
import type { ServerNotice } from '../store.ts'
import { TEMPORARY } from './file-names.ts'

const LOCK = 'LOCK'
const HOLDER = 'LOCK.json'

/** Longer than what anybody says of themselves. */
const HOLDER_BYTES = 10_000

export interface JournalLock extends DiskLock {
  /** Resolves when others can read who has it. */
  readonly told: Promise<void>
  /** Says where a server answers for this ledger from now on; null for nowhere any more. */
  announce(notice: ServerNotice | null): Promise<void>
}

/** Takes a ledger's folder for writing, or says who has it. */
export async function lockJournal(disk: Disk, folder: string, holder: LockHolder): Promise<JournalLock> {
  const lock = await disk.lock(`${folder}/${LOCK}`)
  if (lock === null) throw new LedgerLocked(folder, await readHolder(disk, folder))
  const told = writeHolder(disk, folder, holder)
  // Whoever has the lock waits for it, and hears of it then.
  told.catch(() => {})
  return {
    told,
    announce: async (notice) => {
      await told
      await writeHolder(disk, folder, { ...holder, ...notice })
    },
    release: async () => {
      await told.catch(() => {})
      await disk.remove(`${folder}/${HOLDER}`).catch(() => {})
      await lock.release()
    },
  }
}

/** The server that says that it answers for a ledger; null when none does, or it is not ours to know. */
export async function readNotice(disk: Disk, folder: string): Promise<ServerNotice | null> {
  const { server, secret } = await read(disk, folder)
  return typeof server === 'string' && typeof secret === 'string' ? { server, secret } : null
}

/** A new file in the place of the old one: what may be read of that, and by whom, is nobody's business any more. */
async function writeHolder(
  disk: Disk,
  folder: string,
  holder: LockHolder & { readonly secret?: string },
): Promise<void> {
  const path = `${folder}/${HOLDER}`
  await disk.remove(path + TEMPORARY)
  const file = await disk.open(path + TEMPORARY, { isPrivate: true })
  try {
    await file.write(0, Buffer.from(`${JSON.stringify(holder)}\n`))
  } finally {
    await file.close()
  }
  await disk.rename(path + TEMPORARY, path)
}

async function readHolder(disk: Disk, folder: string): Promise<LockHolder | null> {
  const { pid, server } = await read(disk, folder)
  return typeof pid === 'number' ? { pid, server: typeof server === 'string' ? server : null } : null
}

/** Whatever is wrong with it, or who may not read it: the lock is what counts. */
async function read(disk: Disk, folder: string): Promise<{ readonly [field: string]: unknown }> {
  try {
    const file = await disk.openToRead(`${folder}/${HOLDER}`)
    if (file === null) return {}
    try {
      const holder: unknown = JSON.parse(Buffer.from(await file.read(0, HOLDER_BYTES)).toString())
      return typeof holder === 'object' && holder !== null ? (holder as { [field: string]: unknown }) : {}
    } finally {
      await file.close()
    }
  } catch {
    return {}
  }
}
