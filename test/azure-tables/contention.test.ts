// Many machines that take work from the same queue at the same time.
import { expect, it } from 'vitest'
import { decide, keyOf } from '../../src/core/command.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import type { Store } from '../../src/store/store.ts'
import { submitJob } from '../../src/testing/conformance/commands.ts'
import { claim } from '../../src/testing/conformance/work.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { FakeAccount } from './fake-account.ts'
import { FakeTableService } from './fake-table-service.ts'

const JOBS = 400
const MACHINES = 8
const AT_ONCE = 4
const QUEUE = 'read'

it('they do not fight: taking a job costs at most twice what it costs one machine that takes all of them', async () => {
  const alone = await requestsPerJob(1)
  const together = await requestsPerJob(MACHINES)
  expect(together).toBeLessThan(alone * 2)
})

/** How many requests it takes to take one of many jobs that somebody else has submitted. */
async function requestsPerJob(machines: number): Promise<number> {
  const world = virtualWorld()
  const { random, timers } = world
  const account = new FakeAccount()
  const service = () => new FakeTableService(account, { timers, delayMs: () => 1 + random.next() * 4 })
  const over = <T>(work: Promise<T>) => passing(work)
  const submitter = await over(openOn(service(), world))
  const submitted = Array.from({ length: JOBS }, (_, n) => submitJob(`j${n}`, { tenant_id: `t${n % 4}` }))
  await over(
    Promise.all(
      submitted.map((command) => submitter.transact([keyOf(command)], (given) => decide(command, given))),
    ),
  )
  const services = Array.from({ length: machines }, service)
  const stores = await over(Promise.all(services.map((one) => openOn(one, world))))
  for (const store of stores) store.subscribe(() => {})
  const before = services.reduce((sum, { requests }) => sum + requests, 0)
  const taken = await over(Promise.all(stores.map(takeAll)))
  const after = services.reduce((sum, { requests }) => sum + requests, 0)
  const jobs = taken.flat()
  expect(new Set(jobs).size).toBe(JOBS)
  expect(jobs).toHaveLength(JOBS)
  await over(Promise.all([submitter, ...stores].map((store) => store.close())))
  return (after - before) / JOBS

  /** Lets time pass until it is done. */
  async function passing<T>(work: Promise<T>): Promise<T> {
    let isDone = false
    const done = work.finally(() => {
      isDone = true
    })
    done.catch(() => {})
    while (!isDone) await world.advanceBy(1)
    return done
  }
}

/** Which jobs it got, until there are none left. */
async function takeAll(store: Store): Promise<readonly string[]> {
  const jobs: string[] = []
  for (let inVain = 0; inVain < 3; ) {
    const taken = await claim(store, { queues: [QUEUE], limit: AT_ONCE, most: 4 * AT_ONCE })
    jobs.push(...taken.map(({ step }) => step.job_id))
    inVain = taken.length === 0 ? inVain + 1 : 0
  }
  return jobs
}
