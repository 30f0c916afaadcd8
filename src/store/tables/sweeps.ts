import { type JobAggregate, nameOfKey, type RecordKey } from '../../core/aggregate.ts'
import type { Decision, Given, SlotKey } from '../../core/decision.ts'
import { plainQueue, type ReadyHead } from '../../core/pick.ts'
import type { Sweep, Swept } from '../store.ts'
import type { Cell } from './cell.ts'
import { decideAll } from './deciding.ts'
import { workOf } from './glance.ts'
import { Missing } from './missing.ts'
import { isAll, type Looking, type Shelf, type Waits } from './shelf.ts'
import { headsOf, lookAt, queueKey } from './shown-view.ts'
import type { JobRow, Tables, TakenWork, TakeWork, Wanted } from './tables.ts'
import { Workspace } from './workspace.ts'
import { untilWritten, type Writing, writeOut } from './writing.ts'

type DecideOn<A> = (key: RecordKey, given: Given) => Decision<A>

/** Takes work so that nobody else is shown it meanwhile, decides on each piece, and writes all of it at once. */
export function sweepTables<A>(
  writing: Writing,
  selector: Sweep,
  decide: DecideOn<A>,
): Promise<readonly Swept<A>[]> {
  return untilWritten(writing, () => sweepOnce(writing, selector, decide))
}

async function sweepOnce<A>(
  writing: Writing,
  selector: Sweep,
  decide: DecideOn<A>,
): Promise<readonly Swept<A>[]> {
  const looking = writing.shelf.begin()
  const { tables, ids, time } = writing
  const also = alsoOf(selector)
  const taken = await tables.take(takeOf(selector, time()), also).catch((error: unknown) => {
    writing.shelf.end()
    throw error
  })
  let isKnown = false
  try {
    const space = new Workspace({ now: time(), ids, remembered: null })
    if (taken.jobs.length > 0) space.know(taken.also, also)
    space.knowJobs(taken.jobs, writing)
    const keys = await keysOf(selector, taken, space, tables)
    const askers = keys.map((key) => ({ decide: (given: Given) => decide(key, given) }))
    const answers = await decideAll(space, askers, (wanted) => taken.load(wanted))
    const told = keys.filter((_, index) => !('error' in (answers[index] as object)))
    const delivered = told.flatMap((key) => taken.delivered.get(nameOfKey(key)) ?? [])
    await writeOut(writing, space, (set, onSeen) => taken.write(set, onSeen), { delivered })
    saw(writing.shelf, looking, selector, taken.jobs, space)
    isKnown = true
    return keys.map((key, index) => {
      const answer = answers[index] as (typeof answers)[number]
      if ('error' in answer) throw answer.error
      return { key, outcome: answer.outcome as Swept<A>['outcome'] }
    })
  } finally {
    await taken.release()
    writing.shelf.end()
    // Whoever looked meanwhile was not shown what was taken here.
    if (!isKnown) writing.shelf.forget()
  }
}

/** What is left of what was shown is known from now on; and all there is, if it was shown. */
function saw(
  shelf: Shelf,
  looking: Looking,
  selector: Sweep,
  rows: readonly JobRow[],
  space: Workspace,
): void {
  const shown: ReadyHead[] = []
  const left: Waits[] = []
  for (const row of rows) {
    const { tenant_id, job_id: id } = row
    const key = { kind: 'job', tenant_id, id } as const
    const { stored, isChanged } = space.cellOf(key) as Cell
    const { ready } = workOf(stored.aggregate as JobAggregate)
    if (ready === null) continue
    shown.push({ key, ready })
    if (!isChanged) left.push({ key, ready, waiting: row })
  }
  // A row that is older than its job stands in the place of another.
  const isWhole = selector.what === 'ready' && shown.length === rows.length && isAll(selector, shown)
  if (isWhole) shelf.sawAll(looking, selector.queues)
  shelf.giveBack(left)
}

function takeOf(selector: Sweep, now: number): TakeWork {
  switch (selector.what) {
    case 'due':
      return { what: 'due', limit: selector.limit, now }
    case 'signalled':
      return { what: 'signalled', limit: selector.limit }
    case 'ready':
      return {
        what: 'ready',
        queues: [...new Set(selector.queues)],
        perGroup: selector.perGroup,
        most: selector.most,
        tenants: selector.tenants === undefined ? undefined : [...new Set(selector.tenants)],
      }
  }
}

/** Every decision on ready work looks at its queue. */
function alsoOf(selector: Sweep): Missing {
  const also = new Missing()
  if (selector.what === 'ready') also.addKeys(selector.queues.map((queue) => queueKey(plainQueue(queue))))
  return also
}

async function keysOf(
  selector: Sweep,
  taken: TakenWork,
  space: Workspace,
  tables: Tables,
): Promise<readonly RecordKey[]> {
  if (selector.what !== 'ready') {
    return taken.jobs.map(({ tenant_id, job_id: id }) => ({ kind: 'job', tenant_id, id }))
  }
  const { queues, pick } = selector
  const looking = {
    space,
    heads: headsOf(space, taken.jobs, queues),
    load: (wanted: Wanted) => taken.load(wanted),
    holders: (slots: readonly SlotKey[]) => tables.holders(slots),
  }
  return (await lookAt(looking, pick)).map(({ key }) => key)
}
