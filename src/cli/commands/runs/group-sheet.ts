import { idOf } from '../../../core/aggregate.ts'
import type { RunRecord } from '../../../core/group/run-record.ts'
import type { WorkstreamRecord } from '../../../core/group/workstream-record.ts'
import { machines } from '../../../core/machines/all.ts'
import { fromIso } from '../../../core/time.ts'
import { type Field, fieldLines } from '../../output/fields.ts'
import { recordLine } from '../../output/record-line.ts'
import { safeText } from '../../output/safe-text.ts'
import { stateStyle } from '../../output/state-style.ts'
import { sinceText, timeText } from '../../output/words.ts'
import type { Session } from '../../session.ts'
import { countsText, type GroupJobs } from './group-jobs.ts'

/** A run or workstream as a list of fields. */
export function groupSheet(
  { out, clock }: Session,
  group: RunRecord | WorkstreamRecord,
  jobs: GroupJobs,
): string {
  const now = clock.now()
  const { state, sealed, metadata, completed_at } = group
  const { about } = (machines[group.kind].states as { [state: string]: { about: string } })[state] ?? {}
  const fields: readonly Field[] = [
    ['state', state, about, stateStyle(state)],
    ['since', timeText(fromIso(group.state_since)), `for ${sinceText(group.state_since, now)}`],
    ...(group.kind === 'workstream' ? [['run', group.run_id] as const] : []),
    ['jobs', countsText(jobs)],
    ['sealed', sealed ? 'yes' : 'no', sealed ? 'no more jobs are to come' : 'more jobs may come'],
    ['created', timeText(fromIso(group.created_at)), `${sinceText(group.created_at, now)} ago`],
    ['completed', completed_at === null ? null : timeText(fromIso(completed_at))],
    ['metadata', Object.keys(metadata).length === 0 ? null : JSON.stringify(metadata)],
    ['tenant', group.tenant_id],
    ['etag', group.etag],
  ]
  return `${out.paint('bold', safeText(idOf(group)))}\n${fieldLines(out, fields)}`
}

export function eventLines({ out }: Session, { events }: GroupJobs): string {
  return `\n${out.paint('bold', 'LAST')}\n${events.map((event) => `${recordLine(out, event)}\n`).join('')}`
}
