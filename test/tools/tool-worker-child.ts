// A worker that runs one program, given as arguments, and is killed while it does.

import { childEnv } from '../../src/orchestrator/process/child-env.ts'
import { runProcess } from '../../src/orchestrator/process/run-process.ts'
import { OUTSIDE } from './tool-scene.ts'

const [repo = '', ...argv] = process.argv.slice(2)
const [exe = '', ...args] = argv
const done = await runProcess(
  {
    exe,
    args,
    cwd: repo,
    env: childEnv({ own: process.env, job: {}, jobId: 'job-1', attempt: 1, ledger: repo }),
    logFile: { folder: repo, path: 'l.log' },
    attempt: 1,
    timeoutMs: 60_000,
    onOutput: ({ text }) => void process.stdout.write(text),
  },
  OUTSIDE,
)
console.log(done.status)
