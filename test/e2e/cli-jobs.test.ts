// Asking for jobs, looking at them and steering them through the command line.
import { writeFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JobRecord } from 'waybill'
import { runHere } from './cli-here.ts'
import { openWith, request, writeProject } from './cli-jobs-fixture.ts'
import { jsonLines, lines, Shell } from './cli-run.ts'
import { hasScript } from './environment.ts'

const shell = new Shell()

beforeAll(() => writeProject(shell))

afterAll(() => shell[Symbol.dispose]())

describe('submit', () => {
  beforeAll(async () => {
    await using _ledger = await openWith(shell, 'asked')
  })

  it('makes a job of what the options say, once for each key', async () => {
    const asked = await shell.run([
      ...[
        'submit',
        'RENDER',
        '--input',
        'a.pdf',
        '--output',
        'a.png',
        '--payload',
        '{"dpi":300}',
        '--key',
        'k1',
      ],
      ...[
        '--priority',
        'high',
        '--tag',
        'x',
        '--tag',
        'y',
        '--doc',
        'd:1',
        '--delay',
        '1h',
        '--expires',
        '2h',
      ],
      ...['--actor', 'bob', '--reason', 'urgent', '--ledger', 'asked'],
    ])
    expect(asked).toMatchObject({ status: 0, stderr: '' })
    const job_id = asked.stdout.trim()
    writeFileSync(shell.path('other.json'), '{"dpi": 600}')
    const otherwise = await shell.run([
      ...[
        'submit',
        'RENDER',
        '--input',
        'a.pdf',
        '--output',
        'a.png',
        '--payload',
        '@other.json',
        '--key',
        'k1',
      ],
      ...['--ledger', 'asked'],
    ])
    expect(otherwise).toMatchObject({ status: 0, stdout: `${job_id}\n` })
    expect(otherwise.stderr).toMatch(/^warning: The key belongs to a job .* differs in payload\. Nothing new/)
    await using ledger = await openWith(shell, 'asked')
    const job = await ledger.jobs.get(job_id)
    expect(job).toMatchObject({
      input_ref: 'a.pdf',
      payload: { dpi: 300 },
      priority: 1,
      tags: ['x', 'y'],
      doc_id: 'd:1',
    })
    const hours = (Date.parse(job?.run_at ?? '') - Date.parse(job?.created_at ?? '')) / 3_600_000
    expect(hours).toBe(1)
    const [first] = await Array.fromAsync(ledger.jobs.history(job_id))
    expect(first).toMatchObject({ actor: 'bob', reason: 'urgent' })
  })

  it('takes many from a file: each by itself, those that are refused by their lines', async () => {
    const { tenant_id: _, schema_version: __, ...one } = request('one')
    const two = { ...one, job_id: 'two', input_ref: 'in/two', depends_on: ['one'] }
    const bad = { ...one, job_id: 'three', request_type: 'RENDER', payload: { dpi: 'much' } }
    writeFileSync(
      shell.path('many.jsonl'),
      `${JSON.stringify(one)}\n\n${JSON.stringify(two)}\n${JSON.stringify(bad)}\n{oops\n${JSON.stringify({ ...one, job_id: 'four' })}\n`,
    )
    const told = shell.bash('waybill submit --file - --json --ledger asked < many.jsonl')
    expect(told.status).toBe(1)
    expect(jsonLines(told.stdout)).toMatchObject([
      { line: 1, job_id: 'one', duplicate: false },
      { line: 3, job_id: 'two', duplicate: false },
      { line: 4, error: { code: 'INVALID_INPUT', field: 'payload.dpi' } },
      { line: 5, error: { code: 'INVALID_INPUT', message: expect.stringContaining('not JSON') } },
      { line: 6, job_id: 'one', duplicate: true },
    ])
    expect(jsonLines(told.stderr)).toMatchObject([{ note: { accepted: 3, known: 1, refused: 2 } }])
  })

  it('names what is wrong with a request, and accepts nothing of it', async () => {
    const refs = ['--input', 'a', '--output', 'b']
    const wrong: readonly (readonly [readonly string[], string, string])[] = [
      [['RENDER', '--input', 'a'], '--output is missing', 'Write --output'],
      [['RENDER', ...refs, '--payload', '{'], '--payload is not JSON', 'in quotes for the shell'],
      [['RENDER', ...refs, '--delay', 'soon'], '--delay "soon" is not a span of time', 'Write 90s'],
      [['RENDR', ...refs], 'No protocol answers requests of type RENDR', 'Known are: RENDER, FETCH,'],
      [
        ['RENDER', ...refs, '--payload', '{"dpi":"x"}'],
        'payload.dpi must be number',
        'step draw needs it so',
      ],
      [['RENDER', ...refs, '--depends-on', 'nobody'], 'depends on', 'nobody'],
    ]
    for (const [args, message, next] of wrong) {
      const protocols = ['--protocols', shell.path('waybill.protocols.json')]
      const line = ['submit', ...args, ...protocols, '--ledger', shell.path('asked')]
      const { status, stdout, stderr } = await runHere(line)
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
      expect(stderr).toContain(message)
      expect(stderr).toContain(next)
    }
    await using ledger = await openWith(shell, 'asked')
    expect((await ledger.stats()).records).toMatchObject({ job: 3 })
  })
})

describe('jobs', () => {
  beforeAll(async () => {
    await using ledger = await openWith(shell, 'jobs')
    for (const id of ['good', 'bad', 'open']) {
      await ledger.jobs.submit(request(id, 'RENDER', { doc_id: `doc:${id}`, run_id: 'nightly' }))
    }
    const claim = async (queue: string, id: string) => {
      const works = await ledger.jobs.claim({ queues: [queue], limit: 10, worker: 'w1' })
      const mine = works.find(({ job }) => job.job_id === id)
      for (const { step } of works.filter((work) => work !== mine)) await ledger.jobs.release(step)
      if (mine === undefined) throw new Error(`${id} is not ready in ${queue}`)
      return mine.step
    }
    await ledger.jobs.result(await claim('fetch', 'good'), { status: 'SUCCEEDED', output: { bytes: 12 } })
    await ledger.jobs.result(await claim('render', 'good'), { status: 'SUCCEEDED', output: 'drawn' })
    await ledger.jobs.result(await claim('fetch', 'bad'), { status: 'SUCCEEDED', output: { bytes: 1 } })
    await ledger.jobs.result(await claim('render', 'bad'), {
      status: 'FAILED',
      failure_class: 'NON_RETRYABLE',
      error: { code: 'NO_FONT', message: 'There is no such font' },
    })
    await claim('fetch', 'open')
    await ledger.jobs.submit(request('else', 'FETCH', { tenant_id: 'aurora' }))
  })

  it('list, show and history tell how far each one is', async () => {
    const [list, show] = await Promise.all([
      shell.run(['jobs', 'list', '--run', 'nightly', '--ledger', 'jobs']),
      shell.run(['jobs', 'show', 'bad', '--json', '--ledger', 'jobs']),
    ])
    const ledger = `--ledger ${shell.path('jobs')}`
    const open = await runHere(`jobs list --open --json ${ledger}`)
    const history = await runHere(`jobs history bad --desc --limit 1 --json ${ledger}`)
    const nobody = await runHere(`jobs show bda ${ledger}`)
    expect(
      list.stdout.match(/^(?:bad +FAILED_FINAL|good +SUCCEEDED|open +IN_PROGRESS) +RENDER/gm),
    ).toHaveLength(3)
    expect(list.stdout).toContain('NO_FONT: There is no such font')
    expect(jsonLines<JobRecord>(open.stdout).map(({ job_id }) => job_id)).toEqual(['open'])
    const shown = JSON.parse(show.stdout)
    expect(shown).toMatchObject({
      job_id: 'bad',
      state: 'FAILED_FINAL',
      error_code: 'NO_FONT',
      next_states: [],
    })
    expect(shown.steps).toMatchObject([{ output: { bytes: 1 } }, { last_error_code: 'NO_FONT' }])
    expect(shown.attempts).toMatchObject([
      { step_id: 'fetch', state: 'FAILED_RETRY' },
      { step_id: 'fetch', state: 'SUCCEEDED', by: 'w1' },
      { step_id: 'draw', attempt_no: 1, state: 'FAILED_FINAL', error: 'NO_FONT: There is no such font' },
    ])
    expect(jsonLines(history.stdout)).toMatchObject([{ kind: 'job', new_state: 'FAILED_FINAL' }])
    expect(nobody).toMatchObject({ status: 3, stdout: '' })
    expect(nobody.stderr).toBe('error: There is no job "bda"\nnext: Did you mean bad?\n')
  })

  it('again makes a new one of one that has ended, and cancel ends those that have not', async () => {
    const again = await shell.run([
      'jobs',
      'again',
      'bad',
      '--from',
      'draw',
      '--key',
      'once',
      '--json',
      '--ledger',
      'jobs',
    ])
    const tooEarly = await shell.run(['jobs', 'again', 'open', '--ledger', 'jobs'])
    const ended = await shell.run([
      'jobs',
      'cancel',
      'good',
      'nobody',
      'open',
      '--reason',
      'enough',
      '--ledger',
      'jobs',
    ])
    expect(again.status).toBe(0)
    const { job_id } = JSON.parse(again.stdout)
    expect(tooEarly).toMatchObject({ status: 4, stdout: '' })
    expect(tooEarly.stderr).toContain('waybill jobs cancel open')
    expect(ended).toMatchObject({ status: 3, stdout: 'good: is SUCCEEDED\nopen: IN_PROGRESS → CANCELLING\n' })
    expect(ended.stderr).toContain('error: Job nobody is not known here')
    await using ledger = await openWith(shell, 'jobs')
    expect(await ledger.jobs.get(job_id)).toMatchObject({
      state: 'QUEUED',
      again_of: 'bad',
      current_step_id: 'draw',
    })
  })

  // A pseudo terminal needs the `script` of util-linux, which not every system has.
  it.skipIf(!hasScript())('fits a terminal of 80 columns', () => {
    const told = shell.onTerminal(
      80,
      'export WAYBILL_LEDGER=jobs; waybill jobs list; waybill jobs show bad --history; waybill queue list; ' +
        'waybill why open',
    )
    const shown = lines(stripVTControlCharacters(told.stdout))
    // Commands are to be copied, and are never cut.
    const isCommand = (line: string) => line.includes('waybill ')
    expect(shown.filter((line) => stringWidth(line) > 80 && !isCommand(line))).toEqual([])
    expect(told.stdout).toContain('\u001b[32mSUCCEEDED')
    expect(told.stdout).toContain('\u001b[31mFAILED_FINAL')
  })
})

describe('schedule', () => {
  const at = ['--ledger', shell.path('scheduled')]
  const protocols = ['--protocols', shell.path('waybill.protocols.json')]
  const request = ['FETCH', '--input', 'a', '--output', 'b', ...protocols]

  it('is made, looked at, paused, resumed and removed', async () => {
    {
      await using _ledger = await openWith(shell, 'scheduled')
    }
    const added = await runHere([
      ...['schedule', 'add', 'nightly', ...request, '--cron', '0 3 * * *', '--timezone', 'Europe/Berlin'],
      ...['--overlap', 'skip', '--json', ...at],
    ])
    expect(JSON.parse(added.stdout)).toMatchObject({
      schedule_id: 'nightly',
      state: 'active',
      overlap: 'skip',
      catch_up: 'one',
      request: { request_type: 'FETCH', input_ref: 'a' },
    })
    const list = await runHere(['schedule', 'list', ...at])
    expect(list.stdout).toMatch(/^nightly {2}active {2}0 3 \* \* \* {2}Europe\/Berlin +\S.* FETCH/m)
    expect((await runHere(['schedule', 'pause', 'nightly', ...at])).stdout).toBe('nightly: paused\n')
    const resumed = await runHere(['schedule', 'resume', 'nightly', ...at])
    expect(resumed.stdout).toMatch(/^nightly: active, next \S+Z, in .*\n$/)
    expect((await runHere(['schedule', 'remove', 'nightly', ...at])).stdout).toBe('nightly: removed\n')
    expect((await runHere(['schedule', 'list', ...at])).stderr).toBe('There are no such schedules.\n')
    expect((await runHere(['schedule', 'pause', 'nightly', ...at])).status).toBe(3)
  })

  it('is refused when its times or its request make no sense', async () => {
    const add = (...args: string[]) => runHere(['schedule', 'add', 'x', ...args, ...at])
    const times = await add(...request, '--cron', '99 * * * *')
    expect(times).toMatchObject({ status: 2, stderr: expect.stringContaining('is not a cron expression') })
    const type = await add('FETCHH', ...request.slice(1), '--cron', '* * * * *')
    expect(type).toMatchObject({ status: 2, stderr: expect.stringContaining('Known are: RENDER, FETCH') })
    expect((await runHere(['schedule', 'show', 'x', ...at])).status).toBe(3)
  })
})

describe('queue', () => {
  it('limits what may run, and takes limits away', async () => {
    const queue = (...args: string[]) => runHere(['queue', ...args, '--ledger', shell.path('scheduled')])
    const limited = await queue('limit', 'render', '--concurrency', '4', '--rate', '5/1s')
    expect(limited.stdout).toBe('render: running, at most 4 at once and 5 in 1s\n')
    expect((await queue('stats', 'render')).stdout).toMatch(/^ {2}at once +0 of 4\n {2}rate +0 of 5 in 1s$/m)
    const free = await queue('limit', 'render', '--rate', 'none', '--concurrency', 'none', '--json')
    expect(JSON.parse(free.stdout)).toMatchObject({ concurrency: null, rate: null })
    expect(await queue('limit', 'render')).toMatchObject({ status: 2 })
    expect(await queue('limit', 'render', '--rate', '0/1s')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('rate.max'),
    })
    expect(await queue('stats', 'rendr')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('Did you mean render?'),
    })
  })
})
