import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { killLeftovers } from '../../src/orchestrator/process/kill-leftovers.ts'
import { nodeProcesses } from '../../src/world/node-processes.ts'
import { ROOT } from '../e2e/scratch.ts'
import { OUTSIDE, processesWith, ToolScene } from './tool-scene.ts'

let scene: ToolScene
let worker: ChildProcess | null = null

beforeEach(() => {
  scene = new ToolScene()
})

afterEach(async () => {
  worker?.kill('SIGKILL')
  // Should a test fail, this is what it has left.
  await killLeftovers({ jobId: 'job-1', ledger: scene.repo }, OUTSIDE)
  scene.remove()
})

const alive = () => processesWith(`WAYBILL_LEDGER_MARK=${scene.repo}`)

/** Starts a worker that runs the script, and resolves when it has said `ready` so often. */
async function workerOn(script: string, ready: number): Promise<ChildProcess> {
  const file = join(ROOT, 'test/tools/tool-worker-child.ts')
  const args = ['--conditions=waybill-source', file, scene.repo, 'sh', '-c', script]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  worker = child
  let heard = ''
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`The worker has ended by itself: ${heard}`)))
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      heard += text
      if (heard.split('ready').length > ready) resolve()
    })
  })
  return child
}

/** Until none is left; nobody tells. The suite's own limit ends it if it never comes. */
async function untilNone(look: () => Promise<readonly number[]>): Promise<void> {
  while ((await look()).length > 0) await new Promise(setImmediate)
}

async function guardsOf({ pid }: ChildProcess): Promise<readonly number[]> {
  const rows = (await nodeProcesses.table(0)) ?? []
  const children = rows.filter(({ parent }) => parent === pid).map((row) => row.pid)
  return children.filter((child) => commandOf(child).includes('waybill-guard'))
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

const DEAF = `trap '' TERM INT HUP; echo ready; while :; do sleep 1000; done`

it.each([
  ['itself', DEAF, 1],
  ['and its children', `sh -c "${DEAF}" & ${DEAF}`, 2],
  ['and one in a session of its own', `setsid sh -c "${DEAF}" & ${DEAF}`, 2],
  ['and one whose parent has gone', `(setsid sh -c "${DEAF}" &); ${DEAF}`, 2],
])('a worker that is killed takes its tool with it: %s', async (_, script, ready) => {
  const child = await workerOn(script, ready)
  expect((await alive()).length).toBeGreaterThanOrEqual(ready)
  const guards = await guardsOf(child)
  expect(guards).toHaveLength(1)
  child.kill('SIGKILL')
  await untilNone(alive)
  await untilNone(async () => guards.filter((pid) => commandOf(pid) !== ''))
})

it('so does one whose guard was killed first: there is another', async () => {
  const child = await workerOn(DEAF, 1)
  const [first = 0] = await guardsOf(child)
  process.kill(first, 'SIGKILL')
  await untilNone(async () => ((await guardsOf(child)).some((pid) => pid !== first) ? [] : [first]))
  child.kill('SIGKILL')
  await untilNone(alive)
})

it('has no guard any more when nothing runs, and ends by itself', async () => {
  const child = await workerOn('echo ready; until [ -e go ]; do sleep 0.02; done', 1)
  const guards = await guardsOf(child)
  expect(guards).toHaveLength(1)
  const exited = new Promise((resolve) => child.once('exit', resolve))
  writeFileSync(join(scene.repo, 'go'), '')
  expect(await exited).toBe(0)
  await untilNone(async () => guards.filter((pid) => commandOf(pid) !== ''))
})
