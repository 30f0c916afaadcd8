// Aider cannot be installed here: a stand-in on the PATH says how it was called. That aider takes these options is known
// from its documentation only.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { aiderAdapter } from '../../src/orchestrator/tools/adapters/aider.ts'
import { jobOf, placeAt } from '../fixtures/tool-jobs.ts'
import { bareEnvironment, folder, runJob } from './run-job.ts'
import { standIn } from './stand-in.ts'

it('aider gets exactly these arguments, an empty stdin, and the environment of its job', async () => {
  using home = folder('aider')
  const { path, seen } = standIn(home.path, 'aider')
  const messageFile = join(home.path, 'do "this"; $(now).md')
  writeFileSync(messageFile, 'Add a test.\n')
  const place = placeAt(home.path, { messageFile, filesScope: [join(home.path, 'a b.py')] })
  const job = { ...jobOf('aider', '--model', 'x y'), env: { OPENAI_API_KEY: 'of the job' } }
  const { done } = await runJob(aiderAdapter, job, place, { ...bareEnvironment(home.path), PATH: path })
  expect(done).toMatchObject({ exitCode: 0, status: 'completed', tail: 'Applied edit to a.py\n' })
  expect(seen()).toMatchObject({
    argv: [
      '--yes-always',
      '--no-pretty',
      '--no-stream',
      '--no-check-update',
      '--no-show-release-notes',
      '--no-analytics',
      '--message-file',
      messageFile,
      '--file',
      join(home.path, 'a b.py'),
      '--model',
      'x y',
    ],
    cwd: home.path,
    env: { OPENAI_API_KEY: 'of the job', PYTHONUNBUFFERED: '1' },
    stdin: '',
    message: 'Add a test.\n',
  })
})
