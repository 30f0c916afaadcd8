import { useEffect, useState, useSyncExternalStore } from 'react'
import { type JobName, readLog } from '../../../api/jobs.ts'
import { usePage } from '../../../app/context.ts'
import { LogFeed, type LogSeen } from './log-feed.ts'

/** The log of a job, read for as long as it is on the screen. */
export function useLogFeed({ tenant, id }: JobName): LogFeed | null {
  const { live } = usePage()
  const [feed, setFeed] = useState<LogFeed | null>(null)
  useEffect(() => {
    const made = new LogFeed((part, signal) => readLog({ tenant, id }, part, signal))
    setFeed(made)
    made.poke()
    const stopListening = live.onRecord((record) => {
      if (record.tenant_id === tenant && record.job_id === id) made.poke()
    })
    return () => {
      stopListening()
      made.stop()
    }
  }, [live, tenant, id])
  return feed
}

export function useSeen(feed: LogFeed): LogSeen {
  return useSyncExternalStore(feed.subscribe, () => feed.seen)
}
