import { expect, it } from 'vitest'
import { failure, freshJob, onJob, report, SUCCESS } from '../../src/testing/conformance/commands.ts'
import { CrashDisk } from '../../src/testing/crash-disk.ts'
import { compareStore } from '../crash/compare-ledger.ts'
import { ExpectedLedger } from '../crash/expected-ledger.ts'
import { Life } from '../crash/life.ts'

const JOBS = 60
const journal = { snapshotSchedule: null }

/** Most of them are taken and succeed; every now and then one is cancelled, fails, or is left as it is. */
async function goOn(life: Life, id: string, n: number): Promise<void> {
  await life.pass(n % 3)
  if (n % 11 === 10) await life.do(onJob('cancelJob', id))
  else {
    const { step } = await life.do(onJob('claimStep', id))
    await life.pass(n % 2)
    if (n % 7 === 6) await life.do(report(step, failure('RETRYABLE')))
    else if (n % 13 !== 12) await life.do(report(step, n % 2 === 0 ? SUCCESS : { status: 'SUCCEEDED' }))
  }
}

it('jobs that went the same way are there after a crash as each was told of, from the log and from a snapshot', async () => {
  const life = new Life({ disk: new CrashDisk(), journal })
  await life.open()
  for (let n = 0; n < JOBS; n++) await life.do(freshJob(`job-${n}`))
  for (let n = 0; n < JOBS; n++) await goOn(life, `job-${n}`, n)
  const expected = new ExpectedLedger(life.witness.acknowledged())
  await compareStore(life.store, expected)
  const crashed = new Life({ disk: life.disk.afterKill(), journal, nth: 2 })
  await crashed.open()
  await compareStore(crashed.store, expected)
  await life.maintain()
  const again = new Life({ disk: life.disk.afterKill(), journal, nth: 3 })
  await again.open()
  expect((await again.store.stats()).storage?.snapshot).not.toBeNull()
  await compareStore(again.store, expected)
  for (const { store } of [life, crashed, again]) expect(await store.check()).toEqual([])
})
