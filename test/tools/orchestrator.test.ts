import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventsOf, scene } from './orchestrator-scene.ts'

describe('runs and jobs in a store', () => {
  it('A60: a run is created, updated and listed; what is not known is said clearly and leaves nothing behind', async () => {
    const { store } = await scene()
    const run = await store.createRun({ metadata: { who: 'ada' } })
    expect(run).toMatchObject({ status: 'pending', metadata: { who: 'ada' } })
    expect(await store.updateRunStatus(run.run_id, 'running')).toMatchObject({ status: 'running' })
    expect(await store.getRun(run.run_id)).toMatchObject({ status: 'running' })
    const runs = await Promise.all([store.createRun(), store.createRun()])
    expect(runs[0]?.run_id).not.toBe(runs[1]?.run_id)
    expect(await store.listRecentRuns(2)).toHaveLength(2)
    const result = { status: 'completed', exit_code: 0, duration_s: 1 } as const
    for (const call of [
      () => store.updateRunStatus('none', 'running'),
      () => store.markJobRunning('none'),
      () => store.updateJobResult({ job_id: 'none' }, result),
      () => store.recordEvent('x', { job_id: 'none' }),
      () => store.recordEvent('x', { run_id: 'none' }),
      () => store.recordEvent('x', { ws_id: 'none' }),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'NOT_FOUND' })
    }
    await expect(store.recordEvent('x', {} as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    expect(await store.getRun('none')).toBeNull()
    expect(await store.getJob('none')).toBeNull()
    expect(await store.getJobStatus('none')).toBe('not_found')
    expect(await store.listJobs()).toEqual([])
    expect(await store.listWorkstreams()).toEqual([])
  })

  it('A61: whoever runs tools by themselves says so, and each try is kept', async () => {
    const { store, orchestrator, shell } = await scene()
    await orchestrator.queueJob(
      shell('j1', 'true', { retry_policy: 'retry_same', max_retries: 2, backoff: 'immediate' }),
    )
    expect(await store.markJobRunning('j1')).toMatchObject({ status: 'running' })
    expect(await store.markJobRunning('j1')).toMatchObject({ status: 'running' })
    await store.updateJobResult({ job_id: 'j1' }, { status: 'failed', exit_code: 2, duration_s: 1.5 })
    await store.updateJobResult({ job_id: 'j1' }, { status: 'timeout', exit_code: null, duration_s: 300 })
    expect(
      await store.updateJobResult({ job_id: 'j1' }, { status: 'completed', exit_code: 0, duration_s: 2 }),
    ).toMatchObject({
      status: 'completed',
      run_id: 'run-1',
    })
    expect((await store.getJob('j1'))?.attempts).toMatchObject([
      { attempt_no: 1, status: 'failed', exit_code: 2, duration_s: 1.5 },
      { attempt_no: 2, status: 'timeout', exit_code: null, duration_s: 300 },
      { attempt_no: 3, status: 'completed', exit_code: 0, duration_s: 2 },
    ])
    await expect(store.markJobRunning('j1')).rejects.toMatchObject({ code: 'NOT_CLAIMABLE' })
    await orchestrator.queueJob(shell('j2', 'true'))
    expect(
      await store.updateJobResult({ job_id: 'j2' }, { status: 'cancelled', exit_code: null, duration_s: 1 }),
    ).toMatchObject({
      status: 'cancelled',
    })
  })

  it('several things are one change, or none', async () => {
    const { store } = await scene()
    const commands = () =>
      store.transaction((make) => [
        make.createRun({ run_id: 'r1' }),
        make.annotateGroup('run', 'r1', { a: 1 }),
      ])
    await commands()
    await expect(commands()).rejects.toMatchObject({ code: 'RUN_EXISTS' })
    expect(await store.getRun('r1')).toMatchObject({ metadata: { a: 1 } })
  })
})

describe('an orchestrator', () => {
  it('A61: runs a job, says so before and after, and knows how it ended', async () => {
    const { store, orchestrator, shell } = await scene()
    expect(await orchestrator.runJob(shell('ok', 'echo fine'))).toMatchObject({ status: 'completed' })
    expect(await orchestrator.runJob(shell('bad', 'exit 2'))).toMatchObject({
      status: 'failed',
      error: { code: 'EXIT_CODE' },
    })
    expect(await orchestrator.runJob(shell('slow', 'sleep 60', { timeout_seconds: 0.2 }))).toMatchObject({
      status: 'timeout',
    })
    for (const [id, status] of [
      ['ok', 'completed'],
      ['bad', 'failed'],
      ['slow', 'timeout'],
      ['none', 'not_found'],
    ]) {
      expect(await orchestrator.getJobStatus(id as string)).toBe(status)
    }
    const events = (await eventsOf(store)).filter(({ payload }) => payload.status !== 'queued')
    expect(events.map(({ event_type, payload }) => [event_type, payload.job_id, payload.exit_code])).toEqual([
      ['job.started', 'ok', null],
      ['job.completed', 'ok', 0],
      ['job.started', 'bad', null],
      ['job.failed', 'bad', 2],
      ['job.started', 'slow', null],
      ['job.timeout', 'slow', null],
    ])
    for (const { payload } of events) {
      expect(payload).toMatchObject({
        run_id: 'run-1',
        ws_id: 'ws-1',
        tool: 'command',
        duration_s: expect.any(Number),
      })
    }
  })

  it('A61: a job is running while it runs, and what it prints is seen at once', async () => {
    const seen: string[] = []
    const asked: Promise<string>[] = []
    const { orchestrator, shell } = await scene({
      onOutput: ({ job_id, text }) => {
        seen.push(`${job_id}: ${text.trim()}`)
        asked.push(orchestrator.getJobStatus(job_id))
      },
    })
    expect(await orchestrator.runJob(shell('j1', 'echo here'))).toMatchObject({ status: 'completed' })
    expect(seen).toEqual(['j1: here'])
    expect(await Promise.all(asked)).toEqual(['running'])
  })

  it('A62: each retry is an attempt of its own', async () => {
    const { orchestrator, shell, repo } = await scene()
    const line = 'test -f twice && exit 0; test -f once && touch twice; touch once; exit 7'
    const done = await orchestrator.runJob(
      shell('j1', line, { retry_policy: 'retry_same', max_retries: 3, backoff: 'immediate' }),
    )
    expect(done.attempts.map(({ status, exit_code }) => [status, exit_code])).toEqual([
      ['failed', 7],
      ['failed', 7],
      ['completed', 0],
    ])
    expect(readFileSync(join(repo.path, 'logs/j1.log'), 'utf8').match(/attempt \d/g)).toEqual([
      'attempt 1',
      'attempt 2',
      'attempt 3',
    ])
  })

  it('A63: what is wrong with a job is said before anything is written', async () => {
    const { orchestrator, store, job, repo } = await scene()
    await expect(orchestrator.runJob('none.json')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
    await expect(orchestrator.runJob(job('j1', { tool: 'emacs' }))).rejects.toMatchObject({
      code: 'UNKNOWN_ADAPTER',
    })
    await expect(orchestrator.runJob({ job_id: '' } as never)).rejects.toMatchObject({
      code: 'INVALID_TOOL_JOB',
      details: { problems: expect.arrayContaining([expect.objectContaining({ field: 'workstream_id' })]) },
    })
    const away = job('j1', { paths: { ...job('j1').paths, log_file: '../l.log' } })
    await expect(orchestrator.queueJob(away)).rejects.toMatchObject({
      code: 'PATH_ESCAPES',
      field: 'paths.log_file',
    })
    const ladder = job('j1', { metadata: { retry_policy: 'escalate_to_emacs' } })
    await expect(orchestrator.queueJob(ladder)).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    for (const backoff of ['never', { kind: 'linear', base_seconds: -1 }, { kind: 'linear', base: 1 }]) {
      await expect(
        orchestrator.queueJob(job('j1', { metadata: { backoff } as never })),
      ).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    }
    expect(await store.listJobs()).toEqual([])
    expect(existsSync(join(repo.path, 'logs'))).toBe(false)
    const missing = await orchestrator.runJob(
      job('j1', { command: { exe: 'no-such-tool', args: [] }, metadata: { retry_policy: 'retry_same' } }),
    )
    expect(missing).toMatchObject({ status: 'failed', error: { code: 'TOOL_NOT_FOUND' } })
    expect(missing.attempts).toHaveLength(1)
    const report = JSON.parse(readFileSync(join(repo.path, 'logs/j1.json'), 'utf8'))
    expect(report).toMatchObject({
      status: 'failed',
      argv: ['no-such-tool'],
      error: { code: 'TOOL_NOT_FOUND' },
    })
  })

  it('runs a job from its file, once: the same again is answered, another under its id is refused', async () => {
    const { orchestrator, shell, repo } = await scene()
    const job = shell('j1', 'echo x >> ran')
    repo.write('job.json', JSON.stringify(job))
    await orchestrator.runJob('job.json')
    expect(await orchestrator.runJob('job.json')).toMatchObject({ status: 'completed' })
    expect(readFileSync(join(repo.path, 'ran'), 'utf8')).toBe('x\n')
    await expect(orchestrator.runJob(shell('j1', 'echo y >> ran'))).rejects.toMatchObject({
      code: 'JOB_EXISTS',
    })
  })

  it('A65: tests jobs put their totals into the metadata', async () => {
    const { orchestrator, job, repo } = await scene()
    repo.write(
      'a.test.mjs',
      `import { test } from 'node:test'; import assert from 'node:assert'
test('one', () => {}); test('two', () => assert.fail('no')); test('three', { skip: true }, () => {})`,
    )
    const tests = job('t1', { tool: 'tests', command: { exe: process.execPath, args: ['--test'] } })
    const done = await orchestrator.runJob(tests)
    expect(done).toMatchObject({
      status: 'failed',
      metadata: { tests: { passed: 1, failed: 1, skipped: 1, framework: 'node:test' } },
    })
  })

  it('A66: the store that is given is the one that is used', async () => {
    const { orchestrator, shell, repo } = await scene()
    await orchestrator.runJob(shell('j1', 'true'))
    expect(existsSync(join(repo.path, 'ledger'))).toBe(false)
    expect(existsSync('ledger')).toBe(false)
  })
})
