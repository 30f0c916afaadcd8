import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import type { Disk } from '../../../world/disk.ts'
import type { Finding } from '../../store.ts'
import type { OnProgress } from './progress.ts'
import { Snapshot } from './snapshot.ts'

/** Looks at every byte and every record of a snapshot file. Nothing is wrong with one that is gone. */
export async function snapshotFindings(
  disk: Disk,
  path: string,
  onProgress?: OnProgress,
): Promise<readonly Finding[]> {
  try {
    const snapshot = await Snapshot.open(disk, path)
    if (snapshot === null) return []
    try {
      return await snapshot.verify(onProgress)
    } finally {
      await snapshot.close()
    }
  } catch (error) {
    if (!(error instanceof LedgerDamaged)) throw error
    return [{ where: path, what: error.message }]
  }
}
