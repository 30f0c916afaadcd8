import { AUDIT_FOLDER, listFiles } from './file-names.ts'
import type { JournalPlace } from './load-journal.ts'
import { listSegments } from './segments/segment-name.ts'

/**
 * Removes deltas that were sealed: their segments have all that is in them. They are gone for good only when the folder has
 * been synced, and no segment may be retired before that: a delta without its segment counts again.
 */
export async function removeSpentDeltas({ disk, folder }: JournalPlace): Promise<void> {
  const audit = `${folder}/${AUDIT_FOLDER}`
  const [segments, { deltas }] = await Promise.all([listSegments(disk, audit), listFiles(disk, folder)])
  const sealed = segments.at(-1)?.lastSeq ?? 0
  const spent = deltas.filter(({ seq }) => seq <= sealed)
  if (spent.length === 0) return
  // Where a sync failed, a segment may have a name that the disk does not have yet.
  await disk.syncFolder(audit)
  for (const { path } of spent) await disk.remove(path)
}
