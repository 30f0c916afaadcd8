import { QueryClient } from '@tanstack/react-query'
import type { RecordKind } from '../../../src/core/machines/all.ts'
import { ApiError } from './client.ts'

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** Kinds of records that the answer is about: it is asked for again when something happens to one. */
      readonly topics?: readonly RecordKind[]
      /** At least so long after an answer until it is asked for again: for what the server has to work for. */
      readonly restMs?: number
    }
  }
}

/** What is wrong with the request stays wrong, and who is away comes back by the stream of events. */
function isWorthRetrying(failures: number, error: Error): boolean {
  return error instanceof ApiError && error.status >= 500 && failures < 2
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: isWorthRetrying,
      networkMode: 'always',
      staleTime: 1000,
      refetchOnWindowFocus: true,
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

/** Lets go of answers that nobody looks at, and asks for the others again: one of them cannot be shown. */
export async function askAnew(): Promise<void> {
  queryClient.removeQueries({ type: 'inactive' })
  await queryClient.invalidateQueries()
}
