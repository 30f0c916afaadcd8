import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../scripts/command.ts'

/** Raise it when ledgers are made differently, or when the format of their files changes. */
const VERSION = 'v3'

const DATA = join(ROOT, '.reports', 'bench-data')

/** A ledger that takes long to make and is the same every time: made once, and kept for the next run. */
export async function keptLedger(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(DATA, VERSION, name)
  if (existsSync(folder)) return folder
  const unfinished = `${folder}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { recursive: true })
  await make(unfinished)
  renameSync(unfinished, folder)
  return folder
}

/** Removes ledgers that an older version of the benchmarks made. */
export function removeOldData(): void {
  if (!existsSync(DATA)) return
  for (const version of readdirSync(DATA)) {
    if (version !== VERSION) rmSync(join(DATA, version), { recursive: true, force: true })
  }
}
