import { basename, dirname, resolve } from 'node:path'
import { FileNotFound, NotALedger } from '../../errors/file-errors.ts'
import type { Disk } from '../../world/disk.ts'
import { AUDIT_FOLDER, listFiles } from './file-names.ts'
import { listSegments } from './segments/segment-name.ts'

/** The log of the time before; see `ledger migrate`. */
export const LEGACY_LOG = 'ledger.jsonl'

/** Who mistypes a name is told so, and no new ledger is made under it. */
export async function mustBeThere({ disk, folder }: { disk: Disk; folder: string }): Promise<void> {
  const { deltas, snapshots } = await listFiles(disk, folder)
  if (deltas.length + snapshots.length > 0) return
  if ((await listSegments(disk, `${folder}/${AUDIT_FOLDER}`)).length > 0) return
  const path = resolve(folder)
  const names = await disk.list(folder)
  if (names.includes(LEGACY_LOG)) {
    throw new NotALedger(folder, `It has an old log. Take it over: waybill ledger migrate --ledger ${folder}`)
  }
  const there = names.length > 0 || (await disk.list(dirname(path))).includes(basename(path))
  const next = `Look for a misspelt name, or make a ledger there: waybill init ${folder}`
  throw there ? new NotALedger(folder, next) : new FileNotFound(folder, next)
}
