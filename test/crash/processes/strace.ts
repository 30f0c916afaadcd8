import { spawn, spawnSync } from 'node:child_process'
import type { Child } from './child-process.ts'

/** Why there is no strace here; null when there is. Installs it where that is allowed. */
export function whyNoStrace(): string | null {
  if (process.platform !== 'linux') return 'strace is for Linux'
  if (hasStrace()) return null
  if (process.getuid?.() !== 0) return 'strace is not installed, and only root may install it'
  spawnSync('apt-get', ['install', '-y', 'strace'], { stdio: 'ignore', timeout: 60_000 })
  return hasStrace() ? null : 'strace could not be installed'
}

function hasStrace(): boolean {
  return spawnSync('strace', ['--version'], { stdio: 'ignore' }).status === 0
}

/** Has the kernel kill a process when one of its threads makes a system call for the nth time from now on. */
export async function killAtCall(child: Child, calls: string, nth: number): Promise<void> {
  const strace = spawn('strace', [
    ...['-f', '-o', '/dev/null', '-p', String(child.pid)],
    ...['-e', `trace=${calls}`, '-e', `inject=${calls}:signal=KILL:when=${nth}`],
  ])
  let said = ''
  await new Promise<void>((resolve, reject) => {
    strace.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.includes('attached')) resolve()
    })
    strace.once('close', () => reject(new Error(`strace: ${said}`)))
  })
}
