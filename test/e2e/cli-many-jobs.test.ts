// Many jobs at once, by a filter, through the command line.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runHere } from './cli-here.ts'
import { openWith, request, writeProject } from './cli-jobs-fixture.ts'
import { Shell } from './cli-run.ts'

const shell = new Shell()

beforeAll(() => writeProject(shell))

afterAll(() => shell[Symbol.dispose]())

/** Three FETCH and two RENDER jobs, of which nothing is done yet. */
async function makeJobs(name: string): Promise<string> {
  await using ledger = await openWith(shell, name)
  for (const id of ['f1', 'f2', 'f3']) await ledger.jobs.submit(request(id))
  for (const id of ['r1', 'r2']) await ledger.jobs.submit(request(id, 'RENDER'))
  return shell.path(name)
}

it('cancel says how many match, and does nothing until it is told to', async () => {
  const ledger = await makeJobs('many')
  const asked = await runHere(`jobs cancel --type FETCH --ledger ${ledger}`)
  expect(asked).toEqual({
    status: 2,
    stdout: '',
    stderr:
      'error: 3 jobs would be cancelled; nothing was done\n' +
      'next: Repeat it with --yes, or with --expect 3 to be sure that no others have come.\n',
  })
  const asJson = await runHere(`jobs cancel --type FETCH --json --ledger ${ledger}`)
  expect({ ...asJson, stderr: '' }).toEqual({
    status: 2,
    stdout: '{"count":3,"is_more":false}\n',
    stderr: '',
  })
  const fewer = await runHere(`jobs cancel --type FETCH --expect 2 --ledger ${ledger}`)
  expect(fewer).toMatchObject({ status: 4, stdout: '' })
  expect(fewer.stderr).toContain('3 match now, and 2 were expected')
  const done = await runHere(`jobs cancel --type FETCH --expect 3 --ledger ${ledger}`)
  expect(done).toEqual({ status: 0, stdout: '3 jobs cancelled\n', stderr: '' })
  const none = await runHere(`jobs cancel --type FETCH --ledger ${ledger}`)
  expect(none).toEqual({ status: 0, stdout: '0 jobs cancelled\n', stderr: '' })
  const rest = await runHere(`jobs cancel --state QUEUED --yes --json --ledger ${ledger}`)
  expect(JSON.parse(rest.stdout)).toEqual({ done: 2, unchanged: 0, failed_count: 0, failed: [] })
})

it('again makes new jobs of all that match, once', async () => {
  const ledger = await makeJobs('again-many')
  await runHere(`jobs cancel f1 f2 r1 --ledger ${ledger}`)
  const line = `jobs again --state CANCELLED --type FETCH --ledger ${ledger}`
  expect((await runHere(line)).stderr).toContain('2 jobs would be run again; nothing was done')
  expect(await runHere(`${line} --yes`)).toEqual({ status: 0, stdout: '2 jobs run again\n', stderr: '' })
  expect((await runHere(`${line} --yes`)).stdout).toBe('0 jobs run again, 2 left as they were\n')
  const wrong = await runHere(`${line} --yes --from nowhere --key other`)
  expect(wrong).toMatchObject({ status: 4, stdout: '0 jobs run again, 2 refused\n' })
  expect(wrong.stderr).toContain('warning: f1: STEP_UNKNOWN: Job f1 has no step nowhere')
})

it.each([
  ['jobs cancel', 'No job is named'],
  ['jobs again', 'No job is named'],
  ['jobs cancel f1 --yes', '--yes and --expect are for filters'],
  ['jobs cancel f1 --run r', 'Jobs are named by id, and by a filter as well'],
  ['jobs again --run r --id x', '--id is for one job, and a filter means several'],
  ['jobs cancel --state SUCCEEDED', 'Nothing can be done to jobs that are SUCCEEDED'],
  ['jobs cancel --run r --yes --expect 3', 'cannot be used with'],
])('refuses what makes no sense: %s', async (line, message) => {
  await using _ledger = await openWith(shell, 'none')
  await _ledger.close()
  const { status, stdout, stderr } = await runHere(`${line} --ledger ${shell.path('none')}`)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(message)
})
