import { afterEach, beforeEach, expect, it } from 'vitest'
import { killLeftovers } from '../../src/orchestrator/process/kill-leftovers.ts'
import { OUTSIDE, processesWith, ToolScene } from './tool-scene.ts'

// A tool ended and left a child that was just being born: its parent was gone when its turn to be looked at came, and the
// child had not been there yet when the names of processes were listed; or it was there and just being turned into another
// program, and showed no environment for that moment. Nobody was found, and it was left running: 8 times in 600 on a busy
// machine. Now names are listed until there is no new one, and who shows nothing is looked at again.

let scene: ToolScene

beforeEach(() => {
  scene = new ToolScene()
})

afterEach(async () => {
  await killLeftovers({ jobId: 'job-1', ledger: scene.folder }, OUTSIDE)
  scene.remove()
})

const RUNS = 60
const AT_ONCE = 4

const DEAF = `trap "" TERM INT HUP; while :; do sleep 1000; done`
const QUIET = '>/dev/null 2>&1 </dev/null'
const SCRIPTS = [
  `(setsid sh -c '${DEAF}' ${QUIET} &) ; exit 3`,
  `(setsid setsid sh -c '${DEAF}' ${QUIET} &) ; exit 3`,
  `sh -c '${DEAF}' ${QUIET} & exit 3`,
]

it('finds a child that is born while it looks', async () => {
  let next = 0
  const runner = async () => {
    while (next < RUNS) {
      const script = SCRIPTS[next++ % SCRIPTS.length] as string
      const done = await scene.run('sh', ['-c', script], { graceMs: 10 })
      expect(done).toMatchObject({ status: 'failed', exitCode: 3, survivors: [] })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, runner))
  expect(await processesWith(`WAYBILL_LEDGER_MARK=${scene.folder}`)).toEqual([])
})
