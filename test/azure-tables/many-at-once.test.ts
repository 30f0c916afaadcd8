// What a job costs when there are many: what they write to one partition is written at once.
import { expect, it } from 'vitest'
import { decide, keyOf } from '../../src/core/command.ts'
import type { ClaimAnswer } from '../../src/core/job/commands.ts'
import { openOn } from '../../src/store/azure-tables/opening.ts'
import { rowBytes } from '../../src/store/azure-tables/row-size.ts'
import { ALL_TABLES } from '../../src/store/azure-tables/table-names.ts'
import type { Store } from '../../src/store/store.ts'
import { report, SUCCESS, submitJob } from '../../src/testing/conformance/commands.ts'
import { claim } from '../../src/testing/conformance/work.ts'
import { virtualWorld } from '../../src/testing/virtual-world.ts'
import { pause } from '../../src/world/pause.ts'
import type { Timers } from '../../src/world/timers.ts'
import { FakeAccount } from './fake-account.ts'
import { type FakeRequest, FakeTableService } from './fake-table-service.ts'
import { passing } from './passing.ts'

const AT_ONCE = 50
const ROUNDS = 8
const JOBS = ROUNDS * AT_ONCE
const HEARD_MS = 200
const PAYLOAD = { text: 'x'.repeat(180) }

it('fifty at a time cost about half as many requests each as one', async () => {
  const world = virtualWorld()
  const { timers, random } = world
  const account = new FakeAccount()
  const requests: FakeRequest[] = []
  const after = (request: FakeRequest) => void requests.push(request)
  const service = () => new FakeTableService(account, { timers, delayMs: () => 1 + random.next() * 4, after })
  const [submitter, worker] = await passing(
    world,
    Promise.all([openOn(service(), world), openOn(service(), world)]),
  )
  for (const store of [submitter, worker]) store.subscribe(() => {})
  const processes = { submitter, worker, timers }
  // The first ones find out what the others know.
  await passing(world, round(processes, 'first'))
  requests.length = 0
  const before = bytesIn(account)
  for (let n = 0; n < ROUNDS; n++) await passing(world, round(processes, String(n)))
  const rows = requests.reduce((sum, { writes = [] }) => sum + writes.length, 0)
  const each = {
    requests: requests.length / JOBS,
    rows: rows / JOBS,
    bytes: Math.round((bytesIn(account) - before) / JOBS),
  }
  console.log(`Each of ${AT_ONCE} jobs at a time: ${JSON.stringify(each)}`)
  expect(each.requests).toBeLessThan(8)
  expect(each.rows).toBeLessThan(25)
  expect(each.bytes).toBeLessThan(24_000)
  await passing(world, Promise.all([submitter.close(), worker.close()]))
})

interface Processes {
  readonly submitter: Store
  readonly worker: Store
  readonly timers: Timers
}

/** Jobs are submitted, taken and reported, all of them at once. */
async function round({ submitter, worker, timers }: Processes, name: string): Promise<void> {
  const ids = Array.from({ length: AT_ONCE }, (_, n) => `${name}-${n}`)
  await Promise.all(
    ids.map((id, n) => {
      const command = submitJob(id, { tenant_id: `t${n % 4}`, payload: PAYLOAD })
      return submitter.transact([{ ...keyOf(command), isFresh: true }], (given) => decide(command, given))
    }),
  )
  const taken: ClaimAnswer[] = []
  while (taken.length < AT_ONCE) {
    taken.push(...(await claim(worker, { queues: ['read'], limit: AT_ONCE })))
    // It may not have heard of them yet.
    await pause(timers, HEARD_MS)
  }
  await Promise.all(
    taken.map(({ step }) => {
      const command = report(step, SUCCESS)
      return worker.transact([keyOf(command)], (given) => decide(command, given))
    }),
  )
}

function bytesIn(account: FakeAccount): number {
  let bytes = 0
  for (const table of ALL_TABLES) {
    for (let next: string | undefined; ; ) {
      const page = account.query(table, { next })
      for (const { pk, rk, columns } of page.rows) bytes += rowBytes(pk, rk, columns)
      if (page.next === null) break
      next = page.next
    }
  }
  return bytes
}
