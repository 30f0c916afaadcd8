import { idOf } from '../../../core/aggregate.ts'
import type { RunRecord } from '../../../core/group/run-record.ts'
import type { WorkstreamRecord } from '../../../core/group/workstream-record.ts'
import { safeText } from '../../output/safe-text.ts'
import { stateStyle } from '../../output/state-style.ts'
import type { Session } from '../../session.ts'

/** A run or workstream as a change left it, in one line. */
export async function tellGroup(session: Session, group: RunRecord | WorkstreamRecord): Promise<void> {
  if (session.isJson) return session.json(group)
  const { out } = session
  const state = out.paint(stateStyle(group.state), group.state)
  await out.line(`${safeText(idOf(group))}: ${state}${group.sealed ? ', takes no more jobs' : ''}`)
}
