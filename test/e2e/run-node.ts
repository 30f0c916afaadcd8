import { spawnSync } from 'node:child_process'
import { ROOT } from './scratch.ts'

export interface Ran {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a file of this repository on the Node that runs the tests, in a process of its own, without colours. */
export function runNode(file: string): Ran {
  const { FORCE_COLOR: _, ...env } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--conditions=waybill-source', file], {
    cwd: ROOT,
    encoding: 'utf8',
    env,
    timeout: 30_000,
  })
  return { status, stdout, stderr }
}
