// FOUND BY THE RANDOM LIVES, seed 1146. The story: one batch moves a document, submits a job that waits for another, and cancels
// that other. The signal for the one that waits stands in the first line of the commit, which is the document's. When the
// ledger is opened again, line by line, nobody waits for it yet when it is read, and it is dropped: the job waits for ever.
import { expect, it } from 'vitest'
import { moveDocument, onJob, submitJob } from '../../src/testing/conformance/commands.ts'
import { CrashDisk } from '../../src/testing/crash-disk.ts'
import { Life } from './life.ts'

const journal = { snapshotSchedule: null }

it('delivers a signal to a job that was made in the same commit, after it was opened again', async () => {
  const first = new Life({ disk: new CrashDisk(), journal })
  await first.open()
  await first.do(submitJob('awaited'))
  await first.batch([
    moveDocument('a', 'fetching'),
    submitJob('waits', { depends_on: ['awaited'], on_dependency_failure: 'release' }),
    onJob('cancelJob', 'awaited'),
  ])
  const second = new Life({ disk: first.disk.afterKill(), journal, nth: 2 })
  await second.open()
  expect(await second.sweep('signalled')).toBe(1)
  expect(await second.store.ready(['read'], 10, (heads) => heads)).toHaveLength(1)
})
