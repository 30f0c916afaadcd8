import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeErrorReport } from '../../src/orchestrator/process/error-report.ts'
import { killLeftovers } from '../../src/orchestrator/process/kill-leftovers.ts'
import type { OutputChunk } from '../../src/orchestrator/process/output-capture.ts'
import { processErrorOf } from '../../src/orchestrator/process/process-error.ts'
import type { FinishedProcess } from '../../src/orchestrator/process/run-process.ts'
import { parseToolJob } from '../../src/orchestrator/tools/tool-job.ts'
import { nodeFileSystem } from '../../src/world/node-file-system.ts'
import { OUTSIDE, processesWith, TimeoutOnDemand, ToolScene } from './tool-scene.ts'

let scene: ToolScene

beforeEach(() => {
  scene = new ToolScene()
})

afterEach(async () => {
  // Whatever a test may have left, so that one that fails leaves nothing either.
  await killLeftovers({ jobId: 'job-1', ledger: scene.folder }, OUTSIDE)
  scene.remove()
})

/** Every process that carries the mark of this scene. */
const alive = () => processesWith(`WAYBILL_LEDGER_MARK=${scene.folder}`)

/** A shell script that says `ready <pid>` as often as it should before anything is done to it. */
interface Play {
  readonly script: string
  readonly ready: number
}

interface Played {
  readonly done: FinishedProcess
  /** Those that said that they were ready. */
  readonly pids: readonly number[]
}

/** Calls back when everybody is ready. */
function readiness(ready: number, then: () => void) {
  const pids: number[] = []
  let rest = ''
  const onOutput = ({ text }: OutputChunk) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('ready ')) pids.push(Number(line.slice(6)))
    if (pids.length === ready) then()
  }
  return { pids, onOutput }
}

/** Cancels it when everybody is ready. */
async function cancelled({ script, ready }: Play, graceMs = 200): Promise<Played> {
  const abort = new AbortController()
  const { pids, onOutput } = readiness(ready, () => abort.abort())
  const done = await scene.run('sh', ['-c', script], { onOutput, signal: abort.signal, graceMs })
  return { done, pids }
}

/** Its time is over when everybody is ready. */
async function timedOut({ script, ready }: Play, graceMs = 200): Promise<Played> {
  const timeout = new TimeoutOnDemand()
  const { pids, onOutput } = readiness(ready, () => timeout.over())
  const { timers, timeoutMs } = timeout
  const done = await scene.runIn({ timers }, 'sh', ['-c', script], { onOutput, timeoutMs, graceMs })
  return { done, pids }
}

const DEAF = `trap '' TERM INT HUP; echo ready $$; while :; do sleep 1000; done`
const quoted = (script: string) => `'${script.replaceAll("'", `'\\''`)}'`
const sh = (script: string) => `sh -c ${quoted(script)}`

const TREES: readonly (readonly [string, Play])[] = [
  ['a program that waits', { script: 'echo ready $$; sleep 1000', ready: 1 }],
  ['one that does not hear', { script: DEAF, ready: 1 }],
  [
    'its children and theirs',
    { script: `${sh(`${sh(DEAF)} & echo ready $$; wait`)} & echo ready $$; wait`, ready: 3 },
  ],
  ['one in a session of its own', { script: `setsid ${sh(DEAF)} & echo ready $$; wait`, ready: 2 }],
  ['one whose parent has gone', { script: `(setsid ${sh(DEAF)} &) ; echo ready $$; sleep 1000`, ready: 2 }],
  ['one in a group of its own', { script: `set -m; ${sh(DEAF)} & echo ready $$; wait`, ready: 2 }],
  [
    'one with another environment',
    { script: `env -i PATH="$PATH" ${sh(DEAF)} & echo ready $$; wait`, ready: 2 },
  ],
  [
    'one with another environment, in a session of its own',
    { script: `env -i PATH="$PATH" setsid ${sh(DEAF)} & echo ready $$; wait`, ready: 2 },
  ],
  ['one that is halted', { script: `echo ready $$; kill -STOP $$`, ready: 1 }],
  [
    'one that starts another whenever it is told to stop',
    {
      script: `trap ${quoted(`setsid ${sh(DEAF)} &`)} TERM; echo ready $$; while :; do sleep 0.01; done`,
      ready: 1,
    },
  ],
]

describe('A64: the whole tree is gone', () => {
  it.each(TREES)('when it is cancelled: %s', async (_, tree) => {
    const { done, pids } = await cancelled(tree)
    expect(done).toMatchObject({ status: 'cancelled', survivors: [] })
    expect(pids.length).toBeGreaterThanOrEqual(tree.ready)
    expect(pids.filter(isAlive)).toEqual([])
    expect(await alive()).toEqual([])
  })

  it.each(TREES)('when it takes too long: %s', async (_, tree) => {
    const { done, pids } = await timedOut(tree)
    expect(done).toMatchObject({ status: 'timeout', survivors: [] })
    expect(pids.length).toBeGreaterThanOrEqual(tree.ready)
    expect(pids.filter(isAlive)).toEqual([])
    expect(await alive()).toEqual([])
  })

  it('and those who hear have the grace to tidy up, whatever they then answer', async () => {
    const script = `trap 'echo tidied; exit 0' TERM; echo ready $$; while :; do sleep 0.01; done`
    const { done } = await cancelled({ script, ready: 1 }, 20_000)
    expect(done).toMatchObject({ status: 'cancelled', exitCode: 0 })
    expect(done.tail).toContain('tidied')
    expect(done.durationMs).toBeLessThan(15_000)
  })

  it('also what tidies up in a session of its own', async () => {
    const inner = `trap 'echo tidied; exit 0' TERM; echo ready $$; while :; do sleep 0.01; done`
    const { done } = await cancelled(
      { script: `setsid ${sh(inner)} & echo ready $$; wait`, ready: 2 },
      20_000,
    )
    expect(done.tail).toContain('tidied')
    expect(done.durationMs).toBeLessThan(15_000)
  })

  it('before it began, when it was cancelled by then', async () => {
    const done = await scene.run('touch', [scene.canary], { signal: AbortSignal.abort() })
    expect(done).toMatchObject({ status: 'cancelled', exitCode: null, durationMs: 0 })
    expect(scene.wasRun).toBe(false)
  })
})

describe('nothing is left of one that ends by itself', () => {
  const LEFT: readonly (readonly [string, string])[] = [
    ['that holds the pipe', 'sleep 1000 & exit 3'],
    ['that holds the pipe and does not hear', `${sh(DEAF)} & exit 3`],
    ['in a session of its own that holds the pipe', `setsid ${sh(DEAF)} & exit 3`],
    ['that holds nothing', 'sleep 1000 >/dev/null 2>&1 & exit 3'],
    ['that holds nothing and does not hear', `${sh(DEAF)} >/dev/null 2>&1 & exit 3`],
    ['of which nothing is seen', `(setsid ${sh(DEAF)} >/dev/null 2>&1 </dev/null &) ; exit 3`],
  ]
  it.each(LEFT)('one in the background %s', async (_, script) => {
    const done = await scene.run('sh', ['-c', script], { graceMs: 300 })
    expect(done).toMatchObject({ status: 'failed', exitCode: 3, survivors: [] })
    // The grace, and what a busy machine takes to look around.
    expect(done.durationMs).toBeLessThan(10_000)
    expect(await alive()).toEqual([])
  })

  it('and what it left may print to its end first', async () => {
    const done = await scene.run('sh', ['-c', '(sleep 0.2; echo late) & echo early'], { graceMs: 20_000 })
    expect(done).toMatchObject({ status: 'completed', tail: 'early\nlate\n' })
  })
})

describe('where the system shows no processes, the group is what is ended', () => {
  const processes = { ...OUTSIDE.processes, table: () => Promise.resolve(null) }

  it('when it is cancelled', async () => {
    const abort = new AbortController()
    const { pids, onOutput } = readiness(3, () => abort.abort())
    const script = `${sh(`${sh(DEAF)} & echo ready $$; wait`)} & echo ready $$; wait`
    const spec = { onOutput, signal: abort.signal, graceMs: 200 }
    const done = await scene.runIn({ processes }, 'sh', ['-c', script], spec)
    expect(done).toMatchObject({ status: 'cancelled', survivors: [] })
    expect(pids).toHaveLength(3)
    expect(pids.filter(isAlive)).toEqual([])
  })

  it('when it ends by itself, or they cannot be looked for', async () => {
    const table = () => Promise.reject(new Error('EMFILE'))
    await scene.runIn({ processes: { ...processes, table } }, 'sh', ['-c', `${sh(DEAF)} & exit 3`], {
      graceMs: 200,
    })
    expect(await alive()).toEqual([])
    const done = await scene.runIn({ processes }, 'sh', ['-c', `${sh(DEAF)} & exit 3`], { graceMs: 200 })
    expect(done).toMatchObject({ status: 'failed', exitCode: 3 })
    expect(await alive()).toEqual([])
  })
})

describe('what is left of an earlier attempt', () => {
  it('is killed by the names of the job and the ledger, and no other', async () => {
    const abort = new AbortController()
    const both = ['job-1', 'job-2'].map((jobId) => {
      const ready = Promise.withResolvers<void>()
      const run = scene.run('sh', ['-c', DEAF], {
        env: scene.env({ jobId }),
        signal: abort.signal,
        graceMs: 10,
        onOutput: () => ready.resolve(),
      })
      return { ready: ready.promise, run }
    })
    await Promise.all(both.map(({ ready }) => ready))
    expect(await killLeftovers({ jobId: 'job-1', ledger: 'another' }, OUTSIDE)).toEqual([])
    expect(await killLeftovers({ jobId: 'job', ledger: scene.folder }, OUTSIDE)).toEqual([])
    expect(await processesWith('WAYBILL_JOB_ID=job-1')).not.toEqual([])
    expect(await killLeftovers({ jobId: 'job-1', ledger: scene.folder }, OUTSIDE)).toEqual([])
    expect(await both[0]?.run).toMatchObject({ status: 'failed', signal: 'SIGKILL' })
    expect(await alive()).not.toEqual([])
    abort.abort()
    expect(await both[1]?.run).toMatchObject({ status: 'cancelled' })
    expect(await alive()).toEqual([])
  })
})

describe('A64: the error report', () => {
  it('says what was run and how it ended, without secrets, and takes the place of the one before', async () => {
    const job = parseToolJob({ ...scene.job(), command: { exe: 'sh', args: [] } })
    const place = {
      ...(await scene.attempt({ ...scene.job() })).place,
      errorReport: join(scene.repo, 'reports/e.json'),
    }
    const script = 'echo password=hunter2; echo ready 1; sleep 1000'
    const argv = ['sh', '-c', script, '--token', 'abc']
    for (const attempt of [1, 2]) {
      const { done } = await timedOut({ script, ready: 1 })
      expect(done.status).toBe('timeout')
      const error = processErrorOf(done, 200) ?? { code: '', message: '' }
      const failed = { ...done, job, place, attempt, startedAt: 0, endedAt: 1500, argv, error }
      await writeErrorReport(failed, { files: nodeFileSystem })
    }
    const text = readFileSync(join(scene.repo, 'reports/e.json'), 'utf8')
    expect(JSON.parse(text)).toEqual({
      job_id: 'job-1',
      run_id: 'run-1',
      workstream_id: 'ws-1',
      tool: 'tests',
      attempt: 2,
      status: 'timeout',
      exit_code: null,
      signal: 'SIGTERM',
      started_at: '1970-01-01T00:00:00.000Z',
      ended_at: '1970-01-01T00:00:01.500Z',
      duration_s: 1.5,
      argv: ['sh', '-c', 'echo password=[redacted]; echo ready 1; sleep 1000', '--token', '[redacted]'],
      cwd: scene.repo,
      error: { code: 'TIMEOUT', message: 'Not done within 0.2 s' },
      tail: 'password=[redacted]\nready 1\n',
      log_file: join(scene.repo, 'l.log'),
    })
    expect(scene.names().filter((name) => name.includes('reports/'))).toEqual(['repo/reports/e.json'])
  })

  it('is not written by way of a link that somebody has put there meanwhile', async () => {
    const job = parseToolJob(scene.job())
    const { place, done } = await scene.attempt(job)
    symlinkSync(scene.elsewhere, join(scene.repo, 'out'))
    const failed = {
      ...done,
      job,
      attempt: 1,
      startedAt: 0,
      endedAt: 0,
      argv: [],
      error: { code: '', message: '' },
    }
    const at = (path: string) => ({ ...failed, place: { ...place, errorReport: join(scene.repo, path) } })
    await expect(writeErrorReport(at('out/e.json'), { files: nodeFileSystem })).rejects.toMatchObject({
      code: 'PATH_ESCAPES',
      field: 'paths.error_report',
    })
    expect(scene.names().filter((name) => name.startsWith('elsewhere/'))).toEqual([])
  })
})

function isAlive(pid: number): boolean {
  try {
    // The name is followed by the state; who is over and was not waited for is not alive.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
