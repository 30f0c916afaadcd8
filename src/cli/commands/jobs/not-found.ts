import { nearestOf } from '../../../errors/nearest-of.ts'
import { NotFound } from '../../../errors/refusal-errors.ts'
import type { Ledger } from '../../../ledger/ledger.ts'
import type { Session } from '../../session.ts'

/** So many ids are looked through for one that looks like a misspelt one: a page. */
const LOOKED_THROUGH = 1000

/** Says where else to look: a slip of the finger, or another tenant. */
export async function jobNotFound(
  session: Session,
  ledger: { readonly jobs: Pick<Ledger['jobs'], 'list'> },
  job_id: string,
): Promise<NotFound> {
  const { tenant } = session.options
  const { items } = await ledger.jobs.list({
    tenant_id: tenant,
    limit: LOOKED_THROUGH,
    order: 'changed',
    direction: 'desc',
  })
  const meant = nearestOf(
    job_id,
    items.map((job) => job.job_id),
  )
  const whose = tenant === undefined ? '"default"' : JSON.stringify(tenant)
  return new NotFound({
    code: 'NOT_FOUND',
    field: 'id',
    message: `There is no job ${JSON.stringify(job_id)}`,
    next:
      meant === null
        ? `This is the tenant ${whose}; --tenant names another. See what there is: ${session.hintOf('jobs list')}`
        : `Did you mean ${meant}?`,
    details: { job_id },
  })
}
