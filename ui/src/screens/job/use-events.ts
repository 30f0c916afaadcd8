import { useCallback, useMemo } from 'react'
import { type JobName, jobEvents, jobKey } from '../../api/jobs.ts'
import type { HistoryRecord } from '../../api/live.ts'
import { type Pages, usePages } from '../../lists/use-pages.ts'

const keyOf = ({ cursor }: HistoryRecord) => cursor

/** What happened to a job, the newest first. */
export function useEvents({ tenant, id }: JobName): Pages<HistoryRecord> {
  const fetchPage = useCallback(
    (after: string | undefined, signal: AbortSignal) => jobEvents({ tenant, id }, after, signal),
    [tenant, id],
  )
  const key = useMemo(() => [...jobKey({ tenant, id }), 'events'], [tenant, id])
  // What is news for it is news for everything about the job.
  return usePages({ key, topics: NOTHING, fetchPage, keyOf })
}

const NOTHING = [] as const

/** Whose record it is within the job: nothing for the job itself. */
export function ownPart({ id, job_id }: HistoryRecord): string {
  if (job_id === null) return id
  if (id === job_id) return ''
  return id.startsWith(`${job_id}/`) ? id.slice(job_id.length + 1) : id
}
