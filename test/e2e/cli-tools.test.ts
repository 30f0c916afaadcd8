// Tool jobs through the command line, with real processes and a real git; programs on the PATH stand in for aider and codex.
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { processesWith } from '../tools/tool-scene.ts'
import { runHere } from './cli-here.ts'
import { jsonLines, type Told } from './cli-run.ts'
import { ToolShop } from './cli-tools-fixture.ts'
import { hasScript } from './environment.ts'

const shop = new ToolShop()

beforeAll(() => {
  vi.stubEnv('PATH', shop.env.PATH)
  shop.program('aider', 'echo "Applied edit to a.py"; echo "a = 2" >> a.py')
})

afterAll(() => {
  vi.unstubAllEnvs()
  shop[Symbol.dispose]()
})

async function newLedger(name: string): Promise<(...args: readonly string[]) => Promise<Told>> {
  const ledger = name.endsWith('.db') ? `sqlite:${shop.path(name)}` : shop.path(name)
  await runHere(['init', ledger])
  return (...args) => runHere([...args, '--ledger', ledger])
}

describe('run-job', () => {
  it('A63: no file, no adapter and a bad file each have their own exit code; every mistake is named', async () => {
    const run = await newLedger('refused')
    const missing = await run('run-job', shop.path('none.json'))
    expect(missing).toMatchObject({ status: 3, stdout: '' })
    expect(missing.stderr).toMatch(/^error: There is no .*none\.json\nnext: /)

    const unknown = await run('run-job', shop.jobFile({ job_id: 'unknown', tool: 'aidr' }))
    expect(unknown).toMatchObject({ status: 7, stdout: '' })
    expect(unknown.stderr).toContain('error: No adapter runs the tool "aidr"\nnext: Did you mean aider?')

    writeFileSync(shop.path('bad.json'), '{"job_id": 5, "tool": "tests", "env": {}, "extra": 1}')
    const bad = await run('run-job', shop.path('bad.json'))
    expect(bad).toMatchObject({ status: 2, stdout: '' })
    expect(bad.stderr).toMatch(
      /^error: The tool job has 5 mistakes:\n {2}job_id must be text\n(?: {2}\w.*\n){3} {2}extra is not known here\nnext: /,
    )
    const told = JSON.parse((await run('run-job', shop.path('bad.json'), '--json')).stderr)
    expect(told.error).toMatchObject({ code: 'INVALID_TOOL_JOB', details: { problems: { length: 5 } } })
    expect((await run('jobs', 'list', '--json')).stdout).toBe('')
  })

  it('runs a job with its retries, streams what it prints, and says how it ended', async () => {
    const run = await newLedger('ran')
    const line =
      'echo to stdout; echo to stderr >&2; [ -e again ] || { touch again; exit 3; }; rm again; touch made'
    const metadata = { retry_policy: 'retry_same', max_retries: 1 }
    const file = shop.scriptFile('twice', line, { metadata, run_id: 'run-1' })
    const { status, stdout, stderr } = await run('run-job', file)
    expect(status).toBe(0)
    expect(stdout).toMatch(
      /^twice {2}completed\n {2}tool +command\n {2}exit code +0\n {2}attempts +2, 1 of them failed\n/,
    )
    expect(stdout).toMatch(/^ {2}touched +again, made$/m)
    expect(stdout).toContain(`${shop.repo}/logs/twice.log\n`)
    expect(stderr.match(/^to stdout$/gm)).toHaveLength(2)
    expect(stderr.match(/^to stderr$/gm)).toHaveLength(2)
    expect(stderr).toContain('Attempt 1 failed: It ended with exit code 3. It is tried again.\n')

    const quiet = await runHere(['run-job', file, '--json', '--ledger', shop.path('ran')])
    const view = JSON.parse(quiet.stdout)
    expect(view).toMatchObject({ job_id: 'twice', status: 'completed', run_id: 'run-1', escalations: [] })
    expect(view.attempts).toMatchObject([
      { attempt_no: 1, status: 'failed', exit_code: 3 },
      { attempt_no: 2, status: 'completed', exit_code: 0 },
    ])
    expect(existsSync(view.log_file)).toBe(true)
  })

  it('A69: aider fails, codex takes over and fails, and a person says how it ended', async () => {
    const run = await newLedger('escalated')
    shop.program('failing-aider', 'echo "no idea"; exit 1')
    shop.program('codex', 'cat > /dev/null; echo "nor have I" >&2; exit 4')
    const file = shop.jobFile({
      job_id: 'hard',
      run_id: 'run-1',
      tool: 'aider',
      command: { exe: 'failing-aider', args: [] },
      metadata: { retry_policy: 'escalate_to_codex', max_retries: 2, message_file: 'message.md' },
    })
    const { status, stdout, stderr } = await run('run-job', file)
    expect(status).toBe(1)
    expect(stdout.match(/^\S+ {2}.*$/gm)).toEqual([
      'hard  failed',
      'hard~2  failed',
      'hard~3  left to a person',
    ])
    expect(stderr.match(/^no idea$/gm)).toHaveLength(3)
    expect(stderr).toContain('hard failed (EXIT_CODE: It ended with exit code 1). hard~2 takes over.\n')

    const first = await run('why', 'hard')
    expect(first.stdout).toContain(`waybill why 'hard~2' --ledger ${shop.path('escalated')}\n`)
    const waiting = await run('jobs', 'list', '--waiting-for-people', '--json')
    expect(jsonLines(waiting.stdout)).toMatchObject([{ job_id: 'hard~3', priority: 1 }])
    const shown = await run('jobs', 'show', 'hard~3')
    expect(shown.stdout).toMatch(/^ {2}took over from +hard~2 {2}EXIT_CODE: It ended with exit code 4$/m)
    expect(shown.stdout).toMatch(/^ {2}first was +hard$/m)

    expect(await run('jobs', 'resolve', 'hard~3')).toMatchObject({ status: 2 })
    const wrong = await run('jobs', 'resolve', 'hard', '--done')
    expect(wrong).toMatchObject({ status: 4 })
    expect(wrong.stderr).toContain('next: Job hard~2 took over from it')
    const done = await run('jobs', 'resolve', 'hard~3', '--done', '--note', 'by hand', '--actor', 'ann')
    expect(done).toMatchObject({ status: 0, stdout: 'hard~3: SUCCEEDED\n' })
    const history = jsonLines((await run('jobs', 'history', 'hard~3', '--json')).stdout)
    expect(history.at(-1)).toMatchObject({ new_state: 'SUCCEEDED', actor: 'ann', reason: 'by hand' })
    // The run goes by how the chain ended.
    expect((await run('runs', 'seal', 'run-1')).stdout).toBe('run-1: succeeded, takes no more jobs\n')
  })

  it('Ctrl-C cancels it, and everything it has started is gone', async () => {
    const ledger = shop.path('stopped')
    await runHere(['init', ledger])
    const file = shop.scriptFile('long', 'setsid sleep 1000 & echo ready; wait')
    const child = shop.start(['run-job', file, '--ledger', ledger], shop.env)
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text
    })
    const ended = once(child, 'close')
    for await (const line of createInterface(child.stderr)) {
      if (line === 'ready') child.kill('SIGINT')
      if (line.startsWith('Stopping: the job is being cancelled')) break
    }
    expect(await ended).toEqual([1, null])
    expect(stdout).toMatch(/^long {2}cancelled\n/)
    expect(await processesWith('WAYBILL_JOB_ID=long')).toEqual([])
  })

  // A pseudo terminal needs the `script` of util-linux, which not every system has.
  it.skipIf(!hasScript())('looks well on a terminal', async () => {
    await newLedger('seen')
    const file = shop.scriptFile(
      'seen',
      `printf '\\033]0;title\\007\\033[31mred\\033[0m\\tand so on'; exit 1`,
    )
    const told = shop.onTerminal(80, `waybill run-job ${file} --ledger seen`, shop.env)
    expect(told.status).toBe(1)
    expect(told.stdout).not.toContain('\u001b]0;')
    const text = stripVTControlCharacters(told.stdout)
    expect(text).toMatch(/^command begins, attempt 1 at seen\.\n␛\]0;title␇red\tand so on\nseen {2}failed\n/)
    expect(told.stdout).toContain('\u001b[31mfailed\u001b[39m')
  })
})

describe('queue add', () => {
  /** Where jobs say that they were run. */
  const order = (ledger: string) =>
    readFileSync(`${shop.repo}/${ledger}.txt`, 'utf8').split('\n').slice(0, -1)

  it('A67: the urgent go first, those of the same urgency in turn, and whoever depends on others after them', async () => {
    const run = await newLedger('order')
    const say = (id: string) => shop.scriptFile(id, `echo ${id} >> order.txt`)
    const add = (id: string, ...more: readonly string[]) => run('queue', 'add', say(id), ...more)
    expect(await add('low', '--priority', 'low')).toMatchObject({ status: 0, stdout: 'low\n', stderr: '' })
    await add('last', '--after', 'low', '--priority', 'critical')
    await add('high', '--priority', 'high')
    const both = await run('queue', 'add', say('normal-1'), say('normal-2'))
    expect(both.stdout).toBe('normal-1\nnormal-2\n')
    const unknown = await add('lost', '--after', 'nobody')
    expect(unknown).toMatchObject({ status: 2, stdout: '' })
    const why = await run('why', 'last')
    expect(why.stdout).toContain('It waits for job low, which is QUEUED')
    // Without a module, tool jobs are what a worker does.
    expect(await run('worker', '--until-idle', '--concurrency', '1')).toMatchObject({ status: 0 })
    expect(order('order')).toEqual(['high', 'normal-1', 'normal-2', 'low', 'last'])
    expect((await add('low')).stderr).toBe('The same was asked for before: this is the job there is.\n')
  })

  it('A67: what depends on a job that failed fails, is passed over or goes on, as it was told to', async () => {
    const run = await newLedger('failing')
    await run('queue', 'add', shop.scriptFile('breaks', 'exit 1'))
    for (const what of ['fail', 'skip', 'release']) {
      const file = shop.scriptFile(`on-${what}`, `echo on-${what} >> failing.txt`)
      await run('queue', 'add', file, '--after', 'breaks', '--on-dependency-failure', what)
    }
    expect(await run('worker', '--until-idle', '--exit-code')).toMatchObject({ status: 1 })
    const jobs = jsonLines((await run('jobs', 'list', '--json')).stdout)
    expect(Object.fromEntries(jobs.map(({ job_id, state }) => [job_id, state]))).toEqual({
      breaks: 'FAILED_FINAL',
      'on-fail': 'FAILED_FINAL',
      'on-release': 'SUCCEEDED',
      'on-skip': 'CANCELLED',
    })
    expect(order('failing')).toEqual(['on-release'])
  })

  it('takes each file by itself', async () => {
    const run = await newLedger('each')
    const files = [shop.path('none.json'), shop.scriptFile('sound', 'true')]
    const { status, stdout, stderr } = await run('queue', 'add', ...files)
    expect({ status, stdout }).toEqual({ status: 3, stdout: 'sound\n' })
    expect(stderr).toContain('none.json')
  })
})

describe('worker', () => {
  it('runs the tools that it is told to, and no others', async () => {
    const run = await newLedger('tools')
    await run(
      'queue',
      'add',
      shop.scriptFile('one', 'true'),
      shop.jobFile({ job_id: 'two', tool: 'tests', command: { exe: 'true', args: [] } }),
    )
    const states = async () => {
      const jobs = jsonLines((await run('jobs', 'list', '--json')).stdout)
      return Object.fromEntries(jobs.map(({ job_id, state }) => [job_id, state]))
    }
    const worker = (...args: readonly string[]) => run('worker', '--until-idle', ...args)
    expect(await worker('--no-tools')).toMatchObject({ status: 0 })
    expect(await worker('--tools', 'git,tests')).toMatchObject({ status: 0 })
    expect(await states()).toEqual({ one: 'QUEUED', two: 'SUCCEEDED' })
    expect((await worker('--tools', 'nothing')).status).toBe(7)
    expect(await worker('--queue', 'render')).toMatchObject({ status: 2 })
    const limited = await run('queue', 'limit', 'tool:command', '--concurrency', '1')
    expect(limited.stdout).toBe('tool:command: running, at most 1 at once\n')
    expect(await worker('--queue', 'tool:command')).toMatchObject({ status: 0 })
    expect(await states()).toEqual({ one: 'SUCCEEDED', two: 'SUCCEEDED' })
  })

  it('takes adapters of your own from a module', async () => {
    const run = await newLedger('adapters')
    const adapter = `{ tool: 'greet', defaultTimeoutSeconds: 5, passEnv: [], prepare: () => ({ exe: 'echo', args: ['hello'] }) }`
    writeFileSync(shop.path('adapters.mjs'), `export const adapters = [${adapter}]`)
    const file = shop.jobFile({ job_id: 'greeting', tool: 'greet' })
    expect(await run('queue', 'add', file)).toMatchObject({ status: 7 })
    const adapters = ['--adapters', shop.path('adapters.mjs')]
    expect(await run('queue', 'add', file, ...adapters)).toMatchObject({ status: 0 })
    expect(await run('worker', shop.path('adapters.mjs'), '--until-idle')).toMatchObject({ status: 0 })
    const again = await run('run-job', file, ...adapters)
    expect(again).toMatchObject({ status: 0 })
    expect(readFileSync(`${shop.repo}/logs/greeting.log`, 'utf8')).toMatch(/^hello$/m)
    writeFileSync(shop.path('bad.mjs'), 'export const adapters = [{ tool: 5 }]')
    const bad = await run('run-job', file, '--adapters', shop.path('bad.mjs'))
    expect(bad).toMatchObject({ status: 2 })
    expect(bad.stderr).toContain('the export adapters[0].tool is not a name')
  })

  it('A68: killed while a tool runs: the tool is gone, and another worker goes on with the job', async () => {
    const ledger = `sqlite:${shop.path('killed.db')}`
    const run = await newLedger('killed.db')
    const line = `[ -e first ] && { echo second; exit 0; }; touch first; setsid sleep 1000 & echo ready > first; wait`
    await run(
      'queue',
      'add',
      shop.scriptFile('interrupted', line),
      shop.scriptFile('waiting', 'true'),
      '--priority',
      'high',
    )
    await run('queue', 'limit', 'tool:command', '--concurrency', '1')
    const begin = (name: string) => {
      const child = shop.start(['worker', '--name', name, '--json', '--ledger', ledger], shop.env)
      return { child, lines: createInterface(child.stdout)[Symbol.asyncIterator]() }
    }
    const first = begin('w1')
    const running = processesRunning('interrupted')
    await running
    first.child.kill('SIGKILL')
    await once(first.child, 'close')
    while ((await processesWith('WAYBILL_JOB_ID=interrupted')).length > 0) await new Promise(setImmediate)
    const second = begin('w2')
    try {
      // It holds the only place until somebody says so, or its lease is over.
      expect((await run('why', 'interrupted')).stdout).toContain('w1 works on step command')
      expect(await run('jobs', 'expedite', 'interrupted', '--ignore', 'attempt')).toMatchObject({ status: 0 })
      const ended: string[] = []
      while (ended.length < 2) {
        const { job_id, new_state, actor } = JSON.parse((await second.lines.next()).value as string)
        if (new_state === 'SUCCEEDED') ended.push(`${job_id} by ${actor}`)
      }
      expect(ended.sort()).toEqual(['interrupted by w2', 'waiting by w2'])
    } finally {
      second.child.kill('SIGTERM')
      await once(second.child, 'close')
    }
    const shown = JSON.parse((await run('jobs', 'show', 'interrupted', '--json')).stdout)
    expect(shown.attempts).toMatchObject([{ by: 'w1' }, { by: 'w2', state: 'SUCCEEDED' }])
  })
})

/** Resolves when the job has a program in a session of its own: the last thing that it starts. */
async function processesRunning(job_id: string): Promise<void> {
  while ((await processesWith(`WAYBILL_JOB_ID=${job_id}`)).length < 2) await new Promise(setImmediate)
}

describe('blame', () => {
  it('says which job changed a file, which committed it, and whether the tests passed', async () => {
    const run = await newLedger('blamed')
    const runJob = async (file: string) =>
      expect(await run('run-job', file, '--quiet')).toMatchObject({ status: 0 })
    const repo = ['--repo', shop.repo]
    await runJob(shop.jobFile({ job_id: 'edit', tool: 'aider', metadata: { message_file: 'message.md' } }))
    const untested = await run('blame', 'a.py', ...repo)
    expect(untested).toMatchObject({ status: 0, stderr: '' })
    expect(untested.stdout).toMatch(/^a\.py\n {2}changed by +edit {2}aider, completed, /)
    expect(untested.stdout).toMatch(/^ {2}tests +none have looked at it yet$/m)

    await runJob(
      shop.jobFile({
        job_id: 'commit',
        tool: 'git',
        command: { exe: 'git', args: ['commit', 'By a job', 'a.py'] },
      }),
    )
    expect(shop.git('log', '-1', '--format=%s')).toBe('By a job\n')
    shop.program('pytest', 'echo "1 failed, 2 passed in 0.12s"; exit 1')
    const tests = shop.jobFile({ job_id: 'check', tool: 'tests', command: { exe: 'pytest', args: [] } })
    const failed = await run('run-job', tests)
    expect(failed).toMatchObject({ status: 1 })
    expect(failed.stdout).toMatch(/^ {2}tests +2 passed, 1 failed, 0 skipped$/m)
    const { status, stdout } = await run('blame', 'a.py', ...repo)
    expect(status).toBe(1)
    expect(stdout).toMatch(/^ {2}committed by +commit {2}git, completed, /m)
    expect(stdout).toMatch(/^ {2}tests +failed \(2 passed, 1 failed, 0 skipped\) {2}check, /m)
    const told = JSON.parse((await run('blame', 'a.py', '--json', ...repo)).stdout)
    expect(told).toMatchObject({
      job: { job_id: 'edit' },
      committed_by: { job_id: 'commit' },
      tests: { passed: false },
    })

    const unknown = await run('blame', 'b.py', ...repo)
    expect(unknown).toMatchObject({ status: 3, stdout: '' })
    const elsewhere = await run('blame', 'a.py', '--repo', shop.folder)
    expect(elsewhere).toMatchObject({ status: 3 })
    expect(elsewhere.stderr).toContain(`next: One has in another repository: --repo ${shop.repo}\n`)
  })
})
