import { nameOfKey, type RecordKey } from '../../core/aggregate.ts'
import type { Decision, Given, IdSource } from '../../core/decision.ts'
import { plainQueue } from '../../core/pick.ts'
import type { Sweep, Swept } from '../store.ts'
import { decideAll } from './deciding.ts'
import type { Memory } from './memory.ts'
import { Missing } from './missing.ts'
import { lookAt, queueKey } from './shown-view.ts'
import { Conflict, type Head, type Tables, type TakenWork, type TakeWork } from './tables.ts'
import { Workspace } from './workspace.ts'
import { writeSetOf } from './write-set.ts'

/** Races that a sweep may lose before it is told. */
const MOST_CONFLICTS = 50

export interface SweepOptions {
  readonly tables: Tables
  readonly memory: Memory
  readonly ids: IdSource
  readonly time: () => number
  readonly onWritten: (head: Head, isNews: boolean) => void
}

type DecideOn<A> = (key: RecordKey, given: Given) => Decision<A>

/** Takes work so that nobody else is shown it meanwhile, decides on each piece, and writes all of it at once. */
export async function sweepTables<A>(
  options: SweepOptions,
  selector: Sweep,
  decide: DecideOn<A>,
): Promise<readonly Swept<A>[]> {
  for (let conflicts = 0; ; conflicts++) {
    try {
      return await sweepOnce(options, selector, decide)
    } catch (error) {
      if (!(error instanceof Conflict) || conflicts >= MOST_CONFLICTS) throw error
    }
  }
}

async function sweepOnce<A>(
  options: SweepOptions,
  selector: Sweep,
  decide: DecideOn<A>,
): Promise<readonly Swept<A>[]> {
  const { tables, memory, ids, time, onWritten } = options
  const also = alsoOf(selector)
  const taken = await tables.take(takeOf(selector, time()), also)
  try {
    const space = new Workspace({ now: time(), ids, remembered: null })
    space.know(taken.also, also)
    const keys = await keysOf(selector, taken, space, tables)
    const askers = keys.map((key) => ({ decide: (given: Given) => decide(key, given) }))
    const answers = await decideAll(space, askers, (wanted) => taken.load(wanted))
    const told = keys.filter((_, index) => !('error' in (answers[index] as object)))
    const delivered = told.flatMap((key) => taken.delivered.get(nameOfKey(key)) ?? [])
    const set = writeSetOf(space, { delivered })
    space.freeze()
    if (set !== null) {
      const { head } = await taken.write(set)
      memory.wrote(space)
      onWritten(head, set.isNews)
    }
    return keys.map((key, index) => {
      const answer = answers[index] as (typeof answers)[number]
      if ('error' in answer) throw answer.error
      return { key, outcome: answer.outcome as Swept<A>['outcome'] }
    })
  } finally {
    await taken.release()
  }
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
    space.knowJobs(taken.jobs)
    return taken.jobs.map(({ tenant_id, job_id: id }) => ({ kind: 'job', tenant_id, id }))
  }
  const { queues, pick } = selector
  const looking = {
    space,
    rows: taken.jobs,
    queues,
    load: (wanted: Parameters<TakenWork['load']>[0]) => taken.load(wanted),
    holders: (slots: Parameters<Tables['holders']>[0]) => tables.holders(slots),
  }
  return (await lookAt(looking, pick)).map(({ key }) => key)
}
