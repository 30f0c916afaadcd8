import { isJobPart, type JobPart, type LedgerRecord } from '../../core/aggregate.ts'
import { TwoKeys } from './two-keys.ts'

/** Nearly every change is about one job, and then there is nothing to sort. */
export function areOfOneJob(puts: readonly LedgerRecord[]): puts is readonly JobPart[] {
  const first = puts[0]
  if (first === undefined || !isJobPart(first)) return false
  const { tenant_id, job_id } = first
  for (const put of puts) {
    if (!isJobPart(put) || put.job_id !== job_id || put.tenant_id !== tenant_id) return false
  }
  return true
}

/** A job comes last of its parts. Where each follows its parts, as in a batch of submits, there is nothing to sort. */
function oneAfterTheOther(parts: readonly JobPart[]): readonly (readonly JobPart[])[] | null {
  const groups: (readonly JobPart[])[] = []
  let from = 0
  for (let index = 0; index < parts.length; index++) {
    const first = parts[from] as JobPart
    const part = parts[index] as JobPart
    if (first.job_id !== part.job_id || first.tenant_id !== part.tenant_id) return null
    if (part.kind !== 'job') continue
    groups.push(parts.slice(from, index + 1))
    from = index + 1
  }
  return from === parts.length ? groups : null
}

/** The parts of each job. */
export function byJob(parts: readonly JobPart[]): Iterable<readonly JobPart[]> {
  return oneAfterTheOther(parts) ?? sortedByJob(parts)
}

function sortedByJob(parts: readonly JobPart[]): Iterable<readonly JobPart[]> {
  const groups = new TwoKeys<JobPart[]>()
  for (const part of parts) {
    const group = groups.get(part.tenant_id, part.job_id)
    if (group === undefined) groups.set(part.tenant_id, part.job_id, [part])
    else group.push(part)
  }
  return groups.values()
}
