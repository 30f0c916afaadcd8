import type { Adapter } from '../adapter.ts'

/** Any program, run as the job has it. */
export const commandAdapter: Adapter = {
  tool: 'command',
  defaultTimeoutSeconds: 300,
  passEnv: [],
  prepare: ({ command }) => ({ exe: command.exe, args: [...command.args] }),
}
