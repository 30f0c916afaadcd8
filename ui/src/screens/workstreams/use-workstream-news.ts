// What happens to a workstream or to its jobs has its history read again, at most once a second: the server has to look for it
// among everything that happened, so what happens elsewhere must not make it.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { HistoryRecord } from '../../api/live.ts'
import { usePage } from '../../app/context.ts'

const PAUSE_MS = 1000
/** Something may have happened while the last answer was on its way. */
const FIRST_MS = 200

interface Which {
  readonly tenant: string
  readonly id: string
}

export function useWorkstreamNews({ tenant, id }: Which, key: readonly unknown[]): void {
  const { live } = usePage()
  const client = useQueryClient()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let askedAt = 0
    const askAgain = () => {
      timer = undefined
      askedAt = Date.now()
      void client.invalidateQueries({ queryKey: key, exact: true })
    }
    const stop = live.onRecord((record) => {
      if (!concerns(record, { tenant, id }) || timer !== undefined) return
      timer = setTimeout(askAgain, Math.max(FIRST_MS, askedAt + PAUSE_MS - Date.now()))
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [live, client, tenant, id, key])
}

export function concerns(
  { tenant_id, kind, id: of, metadata }: HistoryRecord,
  { tenant, id }: Which,
): boolean {
  if (tenant_id !== tenant) return false
  return kind === 'workstream' ? of === id : metadata.workstream_id === id
}
