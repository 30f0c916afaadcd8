import type { FinishedProcess } from './run-process.ts'

/** What went wrong with a command that did not complete, in words; null when it did. */
export function processErrorOf(
  done: Pick<FinishedProcess, 'status' | 'exitCode' | 'signal'>,
  timeoutMs: number,
): { readonly code: string; readonly message: string } | null {
  switch (done.status) {
    case 'completed':
      return null
    case 'timeout':
      return { code: 'TIMEOUT', message: `Not done within ${timeoutMs / 1000} s` }
    case 'cancelled':
      return { code: 'CANCELLED', message: 'It was cancelled' }
    case 'failed':
      return done.signal === null
        ? { code: 'EXIT_CODE', message: `It ended with exit code ${done.exitCode}` }
        : { code: 'KILLED', message: `It was ended by ${done.signal}` }
  }
}
