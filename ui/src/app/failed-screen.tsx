import { useRouter } from '@tanstack/react-router'
import { useContext, useEffect } from 'react'
import { Unreachable } from '../api/client.ts'
import { askAnew } from '../api/query-client.ts'
import { ErrorNotice } from '../parts/notice.tsx'
import { PageContext } from './context.ts'

/** Instead of a screen that could not be loaded or shown; as soon as the server answers again, if that is all it lacked. */
export function FailedScreen({ error }: { readonly error: unknown }) {
  const router = useRouter()
  const live = useContext(PageContext)?.live
  useEffect(() => {
    if (!(error instanceof Unreachable)) return
    return live?.subscribe(() => {
      if (live.connection === 'live') void router.invalidate()
    })
  }, [error, live, router])
  const retry = async () => {
    await askAnew()
    await router.invalidate()
  }
  return <ErrorNotice error={error} retry={() => void retry()} />
}
