import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventsOf, scene, workOff } from './orchestrator-scene.ts'

describe('a queue of tool jobs', () => {
  it('A67: runs by priority, first come first served, and after what it waits for', async () => {
    const { orchestrator, store, shell, repo } = await scene()
    const writes = (id: string) => shell(id, `echo ${id} >> order`)
    await orchestrator.queueJob(writes('low'), { priority: 'low' })
    await orchestrator.queueJob(writes('high'), { priority: 'high' })
    await orchestrator.queueJob(writes('normal-1'))
    await orchestrator.queueJob(writes('normal-2'))
    await orchestrator.queueJob(writes('last'), { priority: 'critical', after: ['low'] })
    await workOff({ store, orchestrator })
    expect(readFileSync(join(repo.path, 'order'), 'utf8').trim().split('\n')).toEqual([
      'high',
      'normal-1',
      'normal-2',
      'low',
      'last',
    ])
    await expect(orchestrator.queueJob(writes('self'), { after: ['self'] })).rejects.toMatchObject({
      code: 'DEPENDENCY_CYCLE',
    })
    await expect(orchestrator.queueJob(writes('lost'), { after: ['nobody'] })).rejects.toMatchObject({
      code: 'DEPENDENCY_UNKNOWN',
    })
  })

  it('A67: a dependency that failed is dealt with by policy, and nothing waits in silence', async () => {
    const { orchestrator, store, shell } = await scene()
    await orchestrator.queueJob(shell('bad', 'exit 1'))
    for (const policy of ['fail', 'skip', 'release'] as const) {
      await orchestrator.queueJob(shell(policy, 'true'), { after: ['bad'], onDependencyFailure: policy })
    }
    await workOff({ store, orchestrator })
    expect(await Promise.all(['fail', 'skip', 'release'].map((id) => store.getJobStatus(id)))).toEqual([
      'failed',
      'cancelled',
      'completed',
    ])
    const failed = (await eventsOf(store))
      .filter(({ event_type }) => event_type === 'job.failed')
      .map(({ payload }) => payload.job_id)
    expect(failed).toEqual(['bad', 'fail'])
  })

  it('A69: aider fails past two retries, codex takes over at high priority, and those who wait go on after it', async () => {
    const { orchestrator, store, job, program, repo } = await scene()
    program('aider', `console.log('cannot do it'); process.exit(1)`)
    program('codex', `require('node:fs').writeFileSync('a.txt', 'two\\n')`)
    repo.write('task.md', 'Write two.')
    const metadata = { retry_policy: 'escalate_to_codex', message_file: 'task.md', backoff: 'immediate' }
    await orchestrator.queueJob(job('edit', { tool: 'aider', command: { exe: 'aider', args: [] }, metadata }))
    await orchestrator.queueJob(job('after', { command: { exe: 'cat', args: ['a.txt'] } }), {
      after: ['edit'],
    })
    await workOff({ store, orchestrator })
    const edit = await store.getJob('edit')
    expect(edit).toMatchObject({ status: 'failed', escalated_to: 'edit~2' })
    expect(edit?.attempts).toHaveLength(3)
    expect(await store.getJob('edit~2')).toMatchObject({
      tool: 'codex',
      status: 'completed',
      priority: 'high',
      original_job_id: 'edit',
      escalated_from: 'edit',
      metadata: {
        escalated_from: 'edit',
        original_job_id: 'edit',
        escalation_reason: 'EXIT_CODE: It ended with exit code 1',
        touched_files: ['a.txt'],
      },
    })
    expect(await store.getJobStatus('after')).toBe('completed')
    expect(await store.lastChange('a.txt')).toMatchObject({ job: { job_id: 'edit~2' }, tests: null })
    await store.ledger.runs.seal('run-1')
    expect(await store.getRun('run-1')).toMatchObject({ status: 'succeeded' })
  })

  it('A69: the last rung is a person; runJob says that it is theirs', async () => {
    const { orchestrator, store, job, program, repo } = await scene()
    for (const tool of ['aider', 'codex']) program(tool, 'process.exit(3)')
    repo.write('task.md', 'Do it.')
    const metadata = { retry_policy: 'escalate_to_codex', max_retries: 0, message_file: 'task.md' }
    const done = await orchestrator.runJob(
      job('edit', { tool: 'aider', command: { exe: 'aider', args: [] }, metadata }),
    )
    expect(done).toMatchObject({
      job_id: 'edit~3',
      tool: 'human',
      status: 'queued',
      original_job_id: 'edit',
      escalated_from: 'edit~2',
    })
    const facts = { attempts: null, output_count: null, duration_ms: null, output: null }
    await store.ledger.jobs.reportStage(
      'edit~3',
      { what: 'succeeded', stage: 'human', ...facts },
      { actor: 'ada' },
    )
    expect(await store.getJobStatus('edit~3')).toBe('completed')
  })

  it.each([
    ['immediate', [0, 0, 0]],
    [{ kind: 'linear', base_seconds: 2, cap_seconds: 5 }, [2, 4, 5]],
    [{ kind: 'exponential', base_seconds: 1, cap_seconds: 3 }, [1, 2, 3]],
    [{ kind: 'fibonacci', base_seconds: 1, cap_seconds: 100 }, [1, 1, 2]],
  ])('A69: backs off %j', async (backoff, waits) => {
    const { orchestrator, store, shell } = await scene()
    await orchestrator.queueJob(
      shell('j1', 'true', { retry_policy: 'retry_same', max_retries: 3, backoff } as never),
    )
    for (const wait of waits) {
      await store.updateJobResult({ job_id: 'j1' }, { status: 'failed', exit_code: 1, duration_s: 1 })
      const aggregate = await store.ledger.jobs.show('j1')
      const { retry_at, updated_at } = aggregate?.steps[0] ?? {}
      expect((Date.parse(retry_at ?? '') - Date.parse(updated_at ?? '')) / 1000).toBe(wait)
      await store.ledger.jobs.expedite('j1')
    }
  })

  it('A70: events come from any cursor on, then live, none twice and none left out, also after a reconnect', async () => {
    const { orchestrator, store, shell } = await scene()
    for (const id of ['a', 'b', 'c']) await orchestrator.runJob(shell(id, 'true'))
    const all = await eventsOf(store)
    expect(all).toHaveLength(9)
    for (const [index, { cursor }] of all.entries()) {
      expect((await eventsOf(store, cursor)).map((event) => event.cursor)).toEqual(
        all.slice(index + 1).map((event) => event.cursor),
      )
    }
    const end = new AbortController()
    const live: string[] = []
    const following = (async () => {
      for await (const { event_type, payload } of store.subscribe({
        after: all.at(-1)?.cursor,
        signal: end.signal,
      })) {
        if (event_type === 'mark') continue
        live.push(`${event_type} ${payload.job_id}`)
        if (event_type === 'job.completed') end.abort()
      }
    })()
    await orchestrator.runJob(shell('d', 'true'))
    await following
    expect(live).toEqual(['job.queued d', 'job.started d', 'job.completed d'])
  })

  it('knows which job last changed a file, who committed it, and whether its tests passed', async () => {
    const { orchestrator, store, job, shell, repo } = await scene()
    expect(await store.lastChange('a.txt')).toBeNull()
    await orchestrator.runJob(shell('edit', 'echo two > a.txt'))
    const tests = (id: string, code: number) =>
      job(id, {
        tool: 'tests',
        command: {
          exe: 'sh',
          args: [
            '-c',
            `echo "=== ${code === 0 ? '3 passed' : '1 failed, 2 passed'} in 0.1s ==="; exit ${code}`,
          ],
        },
      })
    await orchestrator.runJob(tests('t1', 1))
    expect(await store.lastChange('./a.txt')).toMatchObject({
      job: { job_id: 'edit' },
      tests: { passed: false, totals: { failed: 1 } },
    })
    await orchestrator.runJob(shell('fix', 'echo three > a.txt'))
    await orchestrator.runJob(tests('t2', 0))
    await orchestrator.runJob(
      job('commit', { tool: 'git', command: { exe: 'git', args: ['commit', 'Write three', 'a.txt'] } }),
    )
    const change = await store.lastChange('a.txt')
    expect(change).toMatchObject({
      file: 'a.txt',
      job: { job_id: 'fix' },
      committed_by: { job_id: 'commit' },
      commit_after: repo.git('rev-parse', 'HEAD').trim(),
      tests: { job: { job_id: 't2' }, passed: true, totals: { passed: 3 } },
    })
    expect(repo.git('log', '-1', '--format=%(trailers:key=Waybill-Job,valueonly)').trim()).toBe('commit')
    for (const bad of ['../a.txt', '/etc/passwd', '']) {
      await expect(store.lastChange(bad)).rejects.toMatchObject({ code: 'INVALID_INPUT', field: 'file' })
    }
  })
})
