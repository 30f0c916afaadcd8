import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useRef } from 'react'
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
  // While it is tried again, what went wrong stays: a panel that says one thing and then the other tells nothing.
  const wrong = useRef<unknown>(null)
  if (error !== null || data !== undefined) wrong.current = error
  if (data !== undefined) return instead?.(data) ?? children(data)
  if (isPending && wrong.current === null) return <Loading />
  return <ErrorNotice error={wrong.current} retry={() => void refetch()} />
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
