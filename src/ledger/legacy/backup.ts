import { FileNotFound } from '../../errors/file-errors.ts'
import { copyFile, isSame } from '../../world/copy-file.ts'
import type { Disk } from '../../world/disk.ts'
import { isThere } from '../../world/is-there.ts'

/** How many migrated files are kept apart when somebody goes back and forth. */
const MOST_KEPT = 100

export function backupPath(input: string): string {
  return `${input}.backup`
}

/** The log as it was before anything was done to it: copied once, and never again. */
export async function makeBackup(disk: Disk, input: string): Promise<void> {
  if (!(await hasBackup(disk, input))) await copyFile(disk, input, backupPath(input))
}

export function hasBackup(disk: Disk, input: string): Promise<boolean> {
  return isThere(disk, backupPath(input))
}

export interface RollbackReport {
  readonly file: string
  readonly backup: string
  /** False when the log was as it is in the backup. */
  readonly restored: boolean
  /** Where that is kept which was there instead. */
  readonly kept: string | null
}

/** Puts a log back as it was before its first migration. What is there now is kept beside it. */
export async function rollback(disk: Disk, file: string): Promise<RollbackReport> {
  const backup = backupPath(file)
  if (!(await isThere(disk, backup))) {
    const next = 'There is nothing to go back to. Give the file that was migrated, not its backup.'
    throw new FileNotFound(backup, next)
  }
  if (await isSame(disk, file, backup)) return { file, backup, restored: false, kept: null }
  const kept = (await isThere(disk, file)) ? await keepAside(disk, file) : null
  await copyFile(disk, backup, file)
  return { file, backup, restored: true, kept }
}

/** Under a name that is free, or has the very same. */
async function keepAside(disk: Disk, file: string): Promise<string> {
  for (let n = 1; n <= MOST_KEPT; n++) {
    const path = `${file}.migrated${n === 1 ? '' : `-${n}`}`
    if (await isSame(disk, file, path)) return path
    if (await isThere(disk, path)) continue
    await copyFile(disk, file, path)
    return path
  }
  throw new Error(`there are ${MOST_KEPT} migrated files beside ${file}`)
}
