// Runs and workstreams, what people say of jobs, and what is said of them, through the command line.
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Protocol } from 'waybill'
import { runHere } from './cli-here.ts'
import { openWith, request } from './cli-jobs-fixture.ts'
import { jsonLines, Shell } from './cli-run.ts'

const shell = new Shell()

const LEDGER = shell.path('grouped')

const run = (...args: readonly string[]) => runHere([...args, '--ledger', LEDGER])

const PROTOCOLS: readonly Protocol[] = [
  {
    protocol_id: 'fetch.v1',
    request_type: 'FETCH',
    steps: [{ step_id: 'fetch', step_type: 'FETCH', service: 'fetch', delivery: 'pull' }],
  },
  {
    protocol_id: 'review.v1',
    request_type: 'REVIEW',
    steps: [
      { step_id: 'review', step_type: 'REVIEW', service: 'editors', delivery: 'external' },
      { step_id: 'print', step_type: 'PRINT', service: 'printers', delivery: 'external' },
    ],
  },
]

beforeAll(async () => {
  await using ledger = await openWith(shell, 'grouped', { protocols: PROTOCOLS })
  const { jobs } = ledger
  const of = (run_id: string, workstream_id: string) => ({ run_id, workstream_id })
  for (const [id, where] of Object.entries({
    done: of('nightly', 'parse'),
    failed: of('nightly', 'parse'),
    open: of('nightly', 'index'),
    other: of('weekly', 'all'),
  })) {
    await jobs.submit(request(id, 'FETCH', where))
  }
  const claim = async (id: string) => {
    const work = await jobs.claimJob(id)
    if (work === null) throw new Error(`${id} is not ready`)
    return work.step
  }
  await jobs.result(await claim('done'), { status: 'SUCCEEDED', output: null })
  const error = { code: 'HTTP_503', message: 'Overloaded' }
  await jobs.result(await claim('failed'), { status: 'FAILED', failure_class: 'NON_RETRYABLE', error })
  for (const id of ['nightly', 'weekly']) await ledger.runs.follow(id)
  for (const id of ['parse', 'index', 'all']) await ledger.workstreams.follow(id)
  for (const id of ['reviewed', 'turned-down']) await jobs.submit(request(id, 'REVIEW'))
})

afterAll(() => shell[Symbol.dispose]())

it('runs are made, listed and shown with their workstreams, jobs and what happened last', async () => {
  const made = await run('runs', 'create', 'mine', '--metadata', '{"branch": "main"}', '--actor', 'ann')
  expect(made).toEqual({ status: 0, stdout: 'mine\n', stderr: '' })
  expect(await run('runs', 'create', 'mine')).toMatchObject({ status: 4, stdout: '' })
  const listed = jsonLines((await run('runs', 'list', '--json')).stdout)
  expect(listed.map(({ run_id, state }) => [run_id, state]).sort()).toEqual([
    ['mine', 'pending'],
    ['nightly', 'running'],
    ['weekly', 'pending'],
  ])
  const running = await run('runs', 'list', '--state', 'running')
  expect(running.stdout).toMatch(/^ID +STATE .*\nnightly +running .*\n$/)
  const shown = await run('runs', 'show', 'nightly')
  expect(shown).toMatchObject({ status: 0, stderr: '' })
  expect(shown.stdout).toMatch(/^ {2}jobs +1 QUEUED, 1 SUCCEEDED, 1 FAILED_FINAL$/m)
  expect(shown.stdout).toMatch(/^WORKSTREAMS\nID +STATE.*\n(?:(?:parse|index) .*\n){2}/m)
  expect(shown.stdout).toMatch(/^LAST\n(?:.*\n)*.*FAILED_FINAL {2}job failed {2}HTTP_503: Overloaded/m)
  const told = JSON.parse((await run('runs', 'show', 'nightly', '--json')).stdout)
  expect(told).toMatchObject({
    run_id: 'nightly',
    jobs: { by_state: { QUEUED: 1, SUCCEEDED: 1, FAILED_FINAL: 1 }, is_more: false },
    workstreams: { length: 2 },
  })
  const unknown = await run('runs', 'show', 'nightlie')
  expect(unknown).toMatchObject({ status: 3, stdout: '' })
  expect(unknown.stderr).toBe('error: There is no run "nightlie"\nnext: Did you mean nightly?\n')
})

it('workstreams are listed by run, and shown', async () => {
  const listed = jsonLines((await run('workstreams', 'list', '--run', 'nightly', '--json')).stdout)
  expect(listed.map(({ workstream_id }) => workstream_id).sort()).toEqual(['index', 'parse'])
  const shown = await run('workstreams', 'show', 'parse')
  expect(shown.stdout).toMatch(/^ {2}run +nightly$/m)
  expect(shown.stdout).toMatch(/^ {2}jobs +1 SUCCEEDED, 1 FAILED_FINAL$/m)
  expect(await run('workstreams', 'show', 'nothing')).toMatchObject({ status: 3 })
})

it('A60: a run that is sealed takes no more jobs, and one that is cancelled ends what is open of it', async () => {
  expect(await run('runs', 'seal', 'nobody')).toMatchObject({ status: 3, stdout: '' })
  const sealed = await run('runs', 'seal', 'nightly', '--reason', 'all of them')
  expect(sealed).toEqual({ status: 0, stdout: 'nightly: running, takes no more jobs\n', stderr: '' })
  const cancelled = await run('runs', 'cancel', 'nightly', '--reason', 'wrong branch', '--json')
  expect(JSON.parse(cancelled.stdout)).toMatchObject({ run_id: 'nightly', sealed: true, state: 'failed' })
  const jobs = jsonLines((await run('jobs', 'list', '--run', 'nightly', '--open', '--json')).stdout)
  expect(jobs).toEqual([])
  expect((await run('jobs', 'list', '--run', 'weekly', '--open')).stdout).toContain('other')
})

it('runs and workstreams are moved along their edges only, by whoever says so', async () => {
  await run('runs', 'create', 'by-hand')
  const begun = await run('runs', 'move', 'by-hand', 'running', '--actor', 'ann', '--reason', 'it began')
  expect(begun).toEqual({ status: 0, stdout: 'by-hand: running\n', stderr: '' })
  expect(await run('runs', 'move', 'by-hand', 'pending')).toMatchObject({ status: 4, stdout: '' })
  expect(await run('runs', 'move', 'by-hand', 'failed', '--if-match', 'old')).toMatchObject({ status: 4 })
  const slip = await run('runs', 'move', 'by-hand', 'faild')
  expect(slip).toMatchObject({ status: 2, stdout: '' })
  expect(slip.stderr).toMatch(
    /"faild" is not a state\n.*Did you mean failed\? The states are: pending, running/,
  )
  const ready = await run('workstreams', 'move', 'all', 'ready', '--json')
  expect(JSON.parse(ready.stdout)).toMatchObject({ workstream_id: 'all', state: 'ready', sealed: false })
  const sealed = await run('workstreams', 'seal', 'all')
  expect(sealed).toEqual({ status: 0, stdout: 'all: ready, takes no more jobs\n', stderr: '' })
  const skipped = await run('workstreams', 'move', 'all', 'skipped', '--actor', 'ann', '--reason', 'late')
  expect(skipped).toEqual({ status: 0, stdout: 'all: skipped, takes no more jobs\n', stderr: '' })
  expect(await run('workstreams', 'move', 'nobody', 'ready')).toMatchObject({ status: 3, stdout: '' })
  const told = await run('ledger', 'audit', '--kind', 'workstream', '--id', 'all', '--desc', '--json')
  expect(jsonLines(told.stdout)[0]).toMatchObject({ new_state: 'skipped', actor: 'ann', reason: 'late' })
})

it('resolves any stage that is not run here, one after the other', async () => {
  const output = '{"approved": true}'
  const first = await run('jobs', 'resolve', 'reviewed', '--done', '--output', output, '--note', 'fine')
  expect(first).toEqual({ status: 0, stdout: 'reviewed: IN_PROGRESS\n', stderr: '' })
  const early = await run('jobs', 'resolve', 'turned-down', '--done', '--stage', 'print')
  expect(early).toMatchObject({ status: 4 })
  expect(await run('jobs', 'resolve', 'reviewed', '--done', '--stage', 'bind')).toMatchObject({ status: 2 })
  const last = await run('jobs', 'resolve', 'reviewed', '--done', '--stage', 'print')
  expect(last.stdout).toBe('reviewed: SUCCEEDED\n')
  const shown = JSON.parse((await run('jobs', 'show', 'reviewed', '--json')).stdout)
  expect(shown.steps[0].output).toEqual({ approved: true })
  const failed = await run('jobs', 'resolve', 'turned-down', '--failed', '--note', 'too long', '--json')
  expect(JSON.parse(failed.stdout)).toMatchObject({
    state: 'FAILED_FINAL',
    error_code: 'FAILED_BY_HAND',
    error_message: 'too long',
  })
  expect(await run('jobs', 'resolve', 'reviewd', '--done')).toMatchObject({
    status: 3,
    stderr: 'error: There is no job "reviewd"\nnext: Did you mean reviewed?\n',
  })
  const bad = await run('jobs', 'resolve', 'other', '--done', '--output', 'yes')
  expect(bad).toMatchObject({ status: 2, stdout: '' })
})

it('says something of a job, and takes it away again', async () => {
  const words = ['approved=true', 'pages=12', 'version=1.10', 'who=ann b.', 'more={"a":[1]}', 'quoted="12"']
  const told = await run('jobs', 'annotate', 'other', ...words)
  expect(told.stdout).toBe(
    'approved  true\npages  12\nversion  "1.10"\nwho  "ann b."\nmore  {"a":[1]}\nquoted  "12"\n',
  )
  const gone = await run('jobs', 'annotate', 'other', 'more=null', 'quoted=null')
  expect(gone.stdout).toBe('more  gone\nquoted  gone\n')
  const shown = await run('jobs', 'show', 'other')
  expect(shown.stdout).toMatch(
    /^ {2}metadata +\{"approved":true,"pages":12,"version":"1.10","who":"ann b."\}$/m,
  )
  expect(await run('jobs', 'annotate', 'other', 'approved')).toMatchObject({ status: 2, stdout: '' })
  expect(await run('jobs', 'annotate', 'other', 'a=1', 'a=2')).toMatchObject({ status: 2, stdout: '' })
  expect(await run('jobs', 'annotate', 'nobody', 'a=1')).toMatchObject({ status: 3, stdout: '' })
})
