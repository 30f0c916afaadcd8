// A worker, and whoever watches it, as processes of their own.
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditRecord } from 'waybill'
import { virtualWorld } from 'waybill/testing'
import { runHere } from './cli-here.ts'
import { openWith, request, writeProject } from './cli-jobs-fixture.ts'
import { jsonLines, Shell } from './cli-run.ts'
import { hasScript } from './environment.ts'

const shell = new Shell()

const HOUR_MS = 3_600_000

beforeAll(() => writeProject(shell))

afterAll(() => shell[Symbol.dispose]())

describe('worker', () => {
  // The handlers were what a promise was resolved with: with one named so they were taken for another promise, and the command
  // waited for ever.
  it('takes a queue of any name, also the name of what makes a promise', async () => {
    const module = `
      const step = { step_id: 's', step_type: 'S', service: 'then', delivery: 'pull' }
      export const protocols = [{ protocol_id: 'odd.v1', request_type: 'ODD', steps: [step] }]
      export const handlers = { then: () => 'done' }`
    writeFileSync(`${shell.folder}/odd.worker.js`, module)
    const init = await shell.run(['init', 'odd'])
    expect(init.status).toBe(0)
    const { status, stderr } = await shell.run(['worker', 'odd.worker.js', '--until-idle', '--ledger', 'odd'])
    expect({ status, stderr }).toMatchObject({ status: 0 })
  })

  it('runs jobs to their end, fires schedules, leaves paused queues alone, and ends when there is nothing to do', async () => {
    {
      // What was to happen an hour ago, while nobody was there.
      const { disk: _, ...world } = virtualWorld({ startMs: Date.now() - HOUR_MS })
      await using ledger = await openWith(shell, 'busy', { world })
      const { tenant_id: __, job_id: ___, ...scheduled } = request('', 'FETCH', { input_ref: 'scheduled' })
      await ledger.schedules.put({ schedule_id: 'hourly', cron: '0 * * * *', request: scheduled })
    }
    {
      await using ledger = await openWith(shell, 'busy')
      await ledger.jobs.submit(request('good', 'RENDER'))
      await ledger.jobs.submit(request('again', 'FETCH', { payload: { does: 'fail' } }))
      await ledger.jobs.submit(request('pushed', 'OCR'))
    }
    const paused = await shell.run(['queue', 'pause', 'render', '--reason', 'no licence', '--ledger', 'busy'])
    expect(paused).toEqual({ status: 0, stdout: 'render: paused\n', stderr: '' })
    const first = await shell.run(['worker', '--until-idle', '--name', 'w1', '--json', '--ledger', 'busy'])
    expect(first.status).toBe(0)
    const told = jsonLines<AuditRecord>(first.stdout).map(({ job_id, kind, new_state }) => [
      job_id,
      kind,
      new_state,
    ])
    expect(told).toContainEqual(['good', 'step', 'SUCCEEDED'])
    expect(told).toContainEqual(['again', 'step', 'FAILED_RETRY'])
    expect(told).toContainEqual(['pushed', 'outbox', 'SENT'])
    // The job of the schedule is the fourth.
    expect(told).toHaveLength(4)
    const [queues, hourly] = await Promise.all([
      shell.run(['queue', 'list', '--json', '--ledger', 'busy']),
      shell.run(['schedule', 'show', 'hourly', '--json', '--ledger', 'busy']),
    ])
    expect(jsonLines(queues.stdout)).toMatchObject([
      { queue: 'fetch', state: 'running', ready: { count: 0 }, retrying: { count: 1 } },
      { queue: 'ocr', running: { count: 1 } },
      {
        queue: 'render',
        state: 'paused',
        ready: { count: 1, is_more: false },
        oldest_ready_at: expect.any(String),
      },
    ])
    expect(JSON.parse(hourly.stdout)).toMatchObject({
      last_job_id: expect.any(String),
      last_error_code: null,
    })

    await shell.run(['queue', 'resume', 'render', '--ledger', 'busy'])
    const second = await shell.run([
      'worker',
      'waybill.worker.ts',
      '--queue',
      'render',
      '--until-idle',
      '--ledger',
      'busy',
    ])
    expect(second.status).toBe(0)
    expect(second.stdout).toMatch(/^\S+Z {2}SUCCEEDED {5}step good\/draw #1 {2}.*by worker-\w+\n$/)
    await using ledger = await openWith(shell, 'busy')
    expect((await ledger.jobs.show('good'))?.steps).toMatchObject([
      { output: { bytes: 12 } },
      { output: { drawn: { bytes: 12 } } },
    ])
  })

  it('stopped by SIGTERM gives its step back; meanwhile others may look, but not write', async () => {
    {
      await using ledger = await openWith(shell, 'stopped')
      await ledger.jobs.submit(request('long', 'FETCH', { payload: { does: 'hang' } }))
    }
    const child = shell.start(['worker', '--name', 'w1', '--grace', '0s', '--ledger', 'stopped'])
    let stderr = ''
    child.stderr.on('data', (text) => {
      stderr += text
    })
    for await (const line of createInterface(child.stdout)) if (line === 'begun') break
    const [show, cancel] = await Promise.all([
      shell.run(['jobs', 'show', 'long', '--ledger', 'stopped']),
      shell.run(['jobs', 'cancel', 'long', '--ledger', 'stopped']),
    ])
    expect(show.stdout).toMatch(/^ {2}held by +w1 until \S+, 1[45]m( \d+s)? left$/m)
    expect(cancel).toMatchObject({ status: 6, stdout: '' })
    expect(cancel.stderr).toContain(
      `stopped is locked by pid ${child.pid}\nnext: Wait for that process, or end it.`,
    )
    child.kill('SIGTERM')
    const [status] = await once(child, 'close')
    expect(status).toBe(0)
    expect(stderr).toContain('Stopping: 1 still running.')
    await using ledger = await openWith(shell, 'stopped')
    const { job, steps } = (await ledger.jobs.show('long')) ?? {}
    expect(job?.ready).toMatchObject({ queue: 'fetch' })
    expect(steps).toMatchObject([{ state: 'FAILED_RETRY', released: 1, holder: null }])
  })

  it('says what is wrong with a module', async () => {
    const modules = {
      'empty.js': 'export const other = 1',
      'wrong.js': 'export default { handlers: { fetch: 1 } }',
      'broken.js': 'import "./nowhere.js"',
    }
    for (const [name, text] of Object.entries(modules)) writeFileSync(shell.path(name), text)
    const run = (module: string, more = '') =>
      runHere(`worker ${shell.path(module)} --until-idle --ledger ${shell.path('busy')}${more}`)
    const broken = await shell.run(['worker', 'broken.js', '--ledger', 'busy'])
    const empty = await run('empty.js')
    const wrong = await run('wrong.js')
    const none = await run('none.js')
    const queue = await run('waybill.worker.ts', ' --queue rendr')
    expect(empty).toMatchObject({ status: 2, stdout: '' })
    expect(empty.stderr).toContain('empty.js exports nothing that a worker is made of\n')
    expect(wrong.stderr).toContain('wrong.js: the export handlers.fetch is not a function\n')
    expect(broken).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('error: broken.js cannot be loaded: '),
    })
    expect(none).toMatchObject({ status: 3, stderr: expect.stringContaining('none.js') })
    expect(queue.stderr).toContain(
      'has no handler or publisher for the queue "rendr"\nnext: It has some for: fetch, ',
    )
  })

  // A pseudo terminal needs the `script` of util-linux, which not every system has.
  it.skipIf(!hasScript())('on a terminal shows what runs, and keeps what went wrong', async () => {
    {
      await using ledger = await openWith(shell, 'shown')
      await ledger.jobs.submit(request('a', 'RENDER'))
      await ledger.jobs.submit(request('b', 'FETCH', { payload: { does: 'fail' } }))
    }
    const { status, stdout } = shell.onTerminal(80, 'waybill worker --until-idle --ledger shown')
    expect(status).toBe(0)
    const plain = stripVTControlCharacters(stdout)
    expect(plain).toMatch(
      /^\d\d:\d\d:\d\d {2}FAILED_RETRY {2}step b\/fetch #1 {2}HTTP_503: The source is overloaded/m,
    )
    expect(plain).toMatch(/^2 done, 1 retried\. Something is due at .*, in (?:\d+s|1m)\.$/m)
    expect(plain).not.toContain('SUCCEEDED')
  })
})

describe('tail', () => {
  it('follows what another process writes, and goes on where it was', async () => {
    await using ledger = await openWith(shell, 'followed')
    await ledger.jobs.submit(request('one', 'FETCH', { doc_id: 'd:1' }))
    await ledger.documents.updateState('d:1', 'fetching')
    const child = shell.start(['tail', '--from', '0', '--doc', 'd:1', '--json', '--ledger', 'followed'])
    let stderr = ''
    child.stderr.on('data', (text) => {
      stderr += text
    })
    const seen: AuditRecord[] = []
    for await (const line of createInterface(child.stdout)) {
      seen.push(JSON.parse(line))
      if (seen.length === 2) {
        await ledger.documents.updateState('d:2', 'fetching')
        await ledger.jobs.cancel('one')
      }
      if (seen.at(-1)?.kind === 'step') break
    }
    child.kill('SIGINT')
    const [status] = await once(child, 'close')
    expect(status).toBe(0)
    expect(seen.map(({ kind, new_state }) => `${kind} ${new_state}`)).toEqual([
      'job QUEUED',
      'document fetching',
      'job CANCELLING',
      'job CANCELLED',
      'step CANCELLED',
    ])
    const [{ note }] = jsonLines<{ note: { cursor: string } }>(stderr) as [{ note: { cursor: string } }]
    expect(note.cursor).toBe(seen.at(-1)?.cursor)

    await ledger.documents.updateState('d:1', 'failed')
    const followed = `--ledger ${shell.path('followed')}`
    const on = await runHere(`tail --from ${note.cursor} --no-follow ${followed}`)
    const wrong = await runHere(`tail --from x ${followed}`)
    expect(on.stdout).toMatch(/^\S+Z {2}failed {8}document d:1 .*by ann\n$/)
    expect(wrong).toMatchObject({ status: 2, stderr: expect.stringContaining('--from "x" is not a cursor') })
    // More than a pipe holds: it has to write on when nobody reads any more, and only then can it notice.
    const more = Array.from({ length: 500 }, (_, n) => `more:${n}`)
    await Promise.all(more.map((id) => ledger.documents.updateState(id, 'fetching')))
    const piped = shell.bash(
      `waybill tail --from 0 --json --ledger followed | head -1; echo \${PIPESTATUS[0]}`,
    )
    expect(piped.stdout).toMatch(/^\{"seq":1,.*\}\n0\n$/)
    expect(piped.stderr).toBe('')
  })
})
