import { spawn } from 'node:child_process'
import type { Child } from './child-process.ts'

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
