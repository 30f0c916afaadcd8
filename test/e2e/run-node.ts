import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { environment } from './environment.ts'

export interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a file of this repository with the package as it is built, in a process and a folder of its own, without colours. */
export function runNode(file: string): Ran {
  const cwd = mkdtempSync(join(tmpdir(), 'waybill-run-'))
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
    cwd,
    encoding: 'utf8',
    env: environment(),
    timeout: 30_000,
  })
  rmSync(cwd, { recursive: true, force: true })
  return { status, stdout, stderr }
}
