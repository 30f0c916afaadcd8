// A result was dropped when the database server was away for longer than the engine waits for it, or when others kept the
// file busy: the step was done all over when its lease had run out, however long that had taken. Only a full disk was waited for.
import { expect, it, vi } from 'vitest'
import { pulled } from '../../test/fixtures/job-commands.ts'
import { liveLedger, requestOf } from '../../test/fixtures/live-ledger.ts'
import { OutcomeUnknown, ServerUnavailable } from '../errors/postgres-errors.ts'
import { LedgerBusy } from '../errors/sqlite-errors.ts'

const gone = new Error('gone')

it.each([
  new ServerUnavailable('postgres://x', gone),
  new OutcomeUnknown('postgres://x', gone),
  new LedgerBusy('ledger.db', 'busy'),
])('a result is reported again when it could not be written: $code', async (error) => {
  const { ledger, world } = await liveLedger([pulled('first')])
  const result = vi.spyOn(ledger.jobs, 'result').mockRejectedValueOnce(error).mockRejectedValueOnce(error)
  let attempts = 0
  ledger.work({ 'first-service': () => ++attempts })
  const job = await ledger.jobs.submit(requestOf())
  await world.advanceBy(5000)
  expect(await job.result()).toBe(1)
  expect(attempts).toBe(1)
  expect(result).toHaveBeenCalledTimes(3)
  await ledger.close()
})
