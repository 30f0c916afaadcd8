// What the jobs of a run or workstream are up to, and what happened to them last.
import { idOf } from '../../../core/aggregate.ts'
import type { AuditRecord } from '../../../core/audit.ts'
import type { RunRecord } from '../../../core/group/run-record.ts'
import type { WorkstreamRecord } from '../../../core/group/workstream-record.ts'
import type { JobRecord } from '../../../core/job/record.ts'
import { statesOf } from '../../../core/machine.ts'
import { jobMachine } from '../../../core/machines/job.ts'
import type { Ledger } from '../../../ledger/ledger.ts'
import { countText } from '../../output/words.ts'

/** Jobs that are counted; a + says that there are more. */
const MOST_COUNTED = 10_000

/** Of the jobs that changed last so many are asked what happened. */
const MOST_ASKED = 10

/** What is told of the history, and what is looked at for it. */
const MOST_EVENTS = 10
const LOOKED_AT = 50

type Group = RunRecord | WorkstreamRecord

export interface GroupJobs {
  /** Those with none are left out. */
  readonly by_state: { readonly [state: string]: number }
  readonly is_more: boolean
  /** The last things that happened to it and to its jobs, the latest last. */
  readonly events: readonly AuditRecord[]
}

export async function jobsOfGroup(ledger: Ledger, group: Group): Promise<GroupJobs> {
  const counts = new Map<string, number>(statesOf(jobMachine).map((state) => [state, 0]))
  const last: JobRecord[] = []
  let after: string | undefined
  let counted = 0
  do {
    const page = await ledger.jobs.list({
      ...whereOf(group),
      order: 'changed',
      direction: 'desc',
      limit: 1000,
      after,
    })
    for (const { state } of page.items) counts.set(state, (counts.get(state) ?? 0) + 1)
    if (last.length === 0) last.push(...page.items.slice(0, MOST_ASKED))
    counted += page.items.length
    after = page.next ?? undefined
  } while (after !== undefined && counted < MOST_COUNTED)
  return {
    by_state: Object.fromEntries([...counts].filter(([, count]) => count > 0)),
    is_more: after !== undefined,
    events: await lastEvents(ledger, group, last),
  }
}

async function lastEvents(
  ledger: Ledger,
  group: Group,
  jobs: readonly JobRecord[],
): Promise<readonly AuditRecord[]> {
  const { tenant_id, kind } = group
  const page = { tenant_id, direction: 'desc', limit: LOOKED_AT } as const
  const all = await Promise.all([
    ledger.audit.query({ ...page, kind, id: idOf(group) }),
    ...jobs.map(({ job_id }) => ledger.audit.query({ ...page, job_id })),
  ])
  return all
    .flatMap(({ items }) => items)
    .filter(isWorthTelling)
    .sort((a, b) => a.seq - b.seq)
    .slice(-MOST_EVENTS)
}

/** On its way to a worker a step goes through states that say little; and of its job the step says more. */
const ON_THE_WAY: readonly string[] = ['DISPATCHING', 'AWAITING_ACK', 'PENDING']

function isWorthTelling({ kind, event, new_state }: AuditRecord): boolean {
  if (event !== 'moved') return true
  if (kind === 'outbox' || ON_THE_WAY.includes(new_state)) return false
  return kind !== 'job' || new_state !== 'IN_PROGRESS'
}

function whereOf(group: Group) {
  const { tenant_id } = group
  return group.kind === 'run'
    ? { tenant_id, run_id: group.run_id }
    : { tenant_id, workstream_id: group.workstream_id }
}

/** `3 SUCCEEDED, 1 QUEUED`. */
export function countsText({ by_state, is_more }: GroupJobs): string {
  const counts = Object.entries(by_state).map(([state, count]) => `${countText(count)} ${state}`)
  if (counts.length === 0) return 'none'
  return counts.join(', ') + (is_more ? ', and more that were not counted' : '')
}
