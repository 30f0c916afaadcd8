import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import styles from './answer.module.css'
import { ErrorNotice } from './notice.tsx'

interface AnswerProps<T> {
  readonly query: UseQueryResult<T>
  /** Shown instead when there is nothing to show; null when there is. */
  readonly instead?: (data: T) => ReactNode
  readonly children: (data: T) => ReactNode
}

/** What a question came to: the answer, however old, before whatever went wrong since. */
export function Answer<T>({ query, instead, children }: AnswerProps<T>) {
  const { data, error, isPending, refetch } = query
  if (data !== undefined) return instead?.(data) ?? children(data)
  if (isPending && error === null) return <Loading />
  return <ErrorNotice error={error} retry={() => void refetch()} />
}

export function Loading() {
  return (
    <div className={styles.loading} role="status" aria-label="Loading">
      <span />
      <span />
      <span />
    </div>
  )
}
