import type { RunRecord } from '../../../core/group/run-record.ts'
import type { WorkstreamRecord } from '../../../core/group/workstream-record.ts'
import { safeText } from '../../output/safe-text.ts'
import { stateStyle } from '../../output/state-style.ts'
import type { Session } from '../../session.ts'

/** Where a run or a workstream stands after what was done. */
export async function tellGroup(session: Session, group: RunRecord | WorkstreamRecord): Promise<void> {
  if (session.isJson) return session.json(group)
  const id = group.kind === 'run' ? group.run_id : group.workstream_id
  const { state, sealed } = group
  const { out } = session
  await out.line(
    `${safeText(id)}: ${out.paint(stateStyle(state), state)}${sealed ? ', takes no more jobs' : ''}`,
  )
}
