// Priorities must not starve anybody: under a steady flow of critical work, low work of the same tenant is taken within
// a time that can be told beforehand.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { protocolOf, pulled } from '../../test/fixtures/job-commands.ts'
import { KernelLedger } from '../../test/fixtures/kernel-ledger.ts'
import type { Priority } from './job/record.ts'
import { PRIORITY_STEP_MS } from './job/waiting.ts'
import { byRank, pick, type ReadyHead } from './pick.ts'

const MINUTE = 60_000
const CRITICAL = 0

interface Flow {
  /** Critical jobs that come in every minute, and how many workers take in one. */
  readonly arriving: number
  readonly taken: number
  /** Critical jobs that wait before the other one comes. */
  readonly backlog: number
  readonly priority: Priority
}

const flow = fc.record<Flow>({
  arriving: fc.integer({ min: 1, max: 4 }),
  taken: fc.integer({ min: 1, max: 3 }),
  backlog: fc.nat(20),
  priority: fc.constantFrom<Priority>(1, 2, 3),
})

/** Minutes until the job is taken; null when it is not within the bound. */
function minutesUntilTaken({ arriving, taken, backlog, priority }: Flow, bound: number): number | null {
  const ledger = new KernelLedger()
  const protocol = protocolOf(pulled('only'))
  const waiting: ReadyHead[] = []
  const submit = (job_id: string, level: Priority) => {
    ledger.submit({ job_id, protocol, priority: level, inFlightLimit: 10_000 })
    const { ready } = ledger.job(job_id)
    if (ready !== null) waiting.push({ key: { kind: 'job', tenant_id: 't1', id: job_id }, ready })
  }
  for (let n = 0; n < backlog; n++) submit(`backlog-${n}`, CRITICAL)
  submit('the one', priority)
  for (let minute = 0; minute <= bound; minute++) {
    for (let n = 0; n < arriving; n++) submit(`critical-${minute}-${n}`, CRITICAL)
    // Stores show no more than the first few of a group.
    const heads = waiting.sort(byRank).slice(0, taken)
    const { chosen } = pick(heads, { limit: taken, running: new Map(), view: ledger.view() })
    for (const { key } of chosen) {
      if (key.id === 'the one') return minute
      ledger.claim(key.id)
      ledger.succeed(key.id)
      waiting.splice(
        waiting.findIndex((head) => head.key.id === key.id),
        1,
      )
    }
    ledger.now += MINUTE
  }
  return null
}

it('low work is taken within a bounded time, however much critical work there is', () => {
  fc.assert(
    fc.property(flow, (some) => {
      // Whatever comes later than its head start goes behind it; all that came before may go first.
      const headStart = (some.priority * PRIORITY_STEP_MS) / MINUTE
      const before = some.backlog + some.arriving * (headStart + 1)
      const bound = Math.max(Math.ceil(before / some.taken), headStart)
      expect(minutesUntilTaken(some, bound)).not.toBeNull()
    }),
    { numRuns: 30 },
  )
})

it('and critical work goes first as long as low work has not waited for its time', () => {
  const some: Flow = { arriving: 1, taken: 1, backlog: 0, priority: 3 }
  // In the last minute they are equals, and the id decides.
  expect(minutesUntilTaken(some, 100)).toBe((3 * PRIORITY_STEP_MS) / MINUTE + 1)
})
