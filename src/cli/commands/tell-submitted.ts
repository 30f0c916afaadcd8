import { safeText } from '../output/safe-text.ts'
import type { AcceptedJob } from '../remote/changeable-ledger.ts'
import type { Session } from '../session.ts'

/** The id is the output, so that a script can go on with it; what else there is to know goes beside it. */
export async function tellSubmitted(session: Session, job: AcceptedJob): Promise<void> {
  const { job_id, tenant_id, duplicate, differing } = job
  if (session.isJson) await session.json({ job_id, tenant_id, duplicate, differing })
  else await session.out.line(safeText(job_id))
  if (duplicate) await tellDuplicate(session, job)
}

/** Whoever asks for something else under a known key gets what was asked for before: that has to be said aloud. */
async function tellDuplicate({ notes }: Session, { job_id, differing }: AcceptedJob): Promise<void> {
  if (differing.length === 0) {
    return notes.hint('The same was asked for before: this is the job there is.', { job_id })
  }
  await notes.warn(
    `The key belongs to a job that was asked for otherwise; it differs in ${differing.join(', ')}. Nothing new was made.`,
    { job_id, differing },
  )
}
