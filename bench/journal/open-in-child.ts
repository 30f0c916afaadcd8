import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** What opening took, as the process says that did it. */
export interface Opened {
  /** From the start of the process to its first line. */
  readonly startMs: number
  readonly loadMs: number
  readonly openMs: number
  /** Of all threads while it was opened: less than `openMs` when others had the processor. */
  readonly cpuMs: number
  /** Of the whole process, when the ledger was open. */
  readonly rssBytes: number
  readonly documents: number
}

const PROBE = join(import.meta.dirname, 'open-probe.mjs')
const TIMEOUT_MS = 300_000

/** Opens a ledger in a fresh process, and closes it again. */
export async function openInChild(built: string, folder: string): Promise<Opened> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROBE, built, folder], {
    timeout: TIMEOUT_MS,
  })
  return JSON.parse(stdout) as Opened
}
