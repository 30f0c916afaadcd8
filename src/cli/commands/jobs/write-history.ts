import type { Ledger } from '../../../ledger/ledger.ts'
import { type PagingOptions, pagesOf } from '../../options/page.ts'
import { writeList } from '../../output/list.ts'
import type { Session } from '../../session.ts'
import { partColumns } from '../history-list.ts'

/** What happened to a job and everything that is part of it. */
export async function writeJobHistory(
  session: Session,
  ledger: Ledger,
  job_id: string,
  paging: PagingOptions & { readonly desc?: boolean },
): Promise<void> {
  const tenant_id = session.options.tenant ?? 'default'
  const direction = paging.desc === true ? 'desc' : 'asc'
  const pages = pagesOf((page) => ledger.audit.query({ ...page, job_id, tenant_id, direction }), paging)
  await writeList(session, pages, {
    columns: partColumns,
    what: 'entry',
    empty: () => `Nothing is known of a job ${JSON.stringify(job_id)}.`,
  })
}
