import { nearestOf } from '../../../errors/nearest-of.ts'
import { NotFound } from '../../../errors/refusal-errors.ts'
import type { Session } from '../../session.ts'

/** Says where else to look: a slip of the finger, or another tenant. */
export function groupNotFound(
  session: Session,
  kind: 'run' | 'workstream',
  id: string,
  known: readonly string[],
): NotFound {
  const meant = nearestOf(id, known)
  const whose = JSON.stringify(session.options.tenant ?? 'default')
  return new NotFound({
    code: 'NOT_FOUND',
    field: 'id',
    message: `There is no ${kind} ${JSON.stringify(id)}`,
    next:
      meant === null
        ? `This is the tenant ${whose}; --tenant names another. See what there is: ${session.hintOf(`${kind}s list`)}`
        : `Did you mean ${meant}?`,
    details: { [`${kind}_id`]: id },
  })
}
