// What happens to this job has everything about it asked for again: at once, and then at most twice a second. What happens to
// others is no news here.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type JobName, jobKey } from '../../api/jobs.ts'
import { ALL_TENANTS } from '../../api/session.ts'
import { usePage } from '../../app/context.ts'

const PAUSE_MS = 500
/** Where the stream is about another tenant. */
const WITHOUT_STREAM_MS = 2000

export function useJobNews({ tenant, id }: JobName): void {
  const { live, tenant: followed } = usePage()
  const client = useQueryClient()
  const isTold = followed === ALL_TENANTS || followed === tenant
  useEffect(() => {
    const askAgain = () => void client.invalidateQueries({ queryKey: jobKey({ tenant, id }) })
    if (!isTold) {
      const timer = setInterval(askAgain, WITHOUT_STREAM_MS)
      return () => clearInterval(timer)
    }
    let pausing: ReturnType<typeof setTimeout> | undefined
    let isLate = false
    const heard = () => {
      if (pausing !== undefined) {
        isLate = true
        return
      }
      askAgain()
      pausing = setTimeout(() => {
        pausing = undefined
        if (!isLate) return
        isLate = false
        heard()
      }, PAUSE_MS)
    }
    const stop = live.onRecord((record) => {
      if (record.tenant_id === tenant && (record.job_id === id || record.id === id)) heard()
    })
    return () => {
      stop()
      clearTimeout(pausing)
    }
  }, [client, live, isTold, tenant, id])
}
