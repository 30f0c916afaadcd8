import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { RecordKind } from '../../../src/core/machines/all.ts'
import { extended, type Listed, type PageAnswer } from './pages.ts'

interface UsePages<T> {
  /** What is asked: another key is another list. */
  readonly key: readonly unknown[]
  readonly topics: readonly RecordKind[]
  /** At least so long after an answer until the first page is asked for again. */
  readonly restMs?: number
  readonly fetchPage: (after: string | undefined, signal: AbortSignal) => Promise<PageAnswer<T>>
  readonly keyOf: (item: T) => string
}

export interface Pages<T> {
  readonly items: readonly T[]
  readonly isPending: boolean
  readonly error: unknown
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  /** Something has changed that is not shown, because the reader is further down. */
  readonly hasNews: boolean
  loadMore(): void
  retry(): void
  /** The reader is at the top, where news are taken in, or is not. */
  setAtTop(isAtTop: boolean): void
}

/** Pages that were asked for at once without anything in them: a filter that matches little has the server read on. */
const MOST_EMPTY = 50

export function usePages<T>({ key, topics, restMs = 0, fetchPage, keyOf }: UsePages<T>): Pages<T> {
  const client = useQueryClient()
  const first = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => fetchPage(undefined, signal),
    meta: { topics, restMs },
  })
  const [listed, setListed] = useState<{ readonly of: unknown; readonly list: Listed<T> } | null>(null)
  const [isLoadingMore, setLoadingMore] = useState(false)
  const [hasNews, setNews] = useState(false)
  const [moreError, setMoreError] = useState<unknown>(null)
  const isAtTop = useRef(true)
  const waiting = useRef<PageAnswer<T> | null>(null)
  const name = JSON.stringify(key)
  const take = useRef(keyOf)
  take.current = keyOf

  const takeIn = useCallback((page: PageAnswer<T>, of: string) => {
    waiting.current = null
    setNews(false)
    isAtTop.current = true
    // What comes after it may have moved, too, and is read again when somebody gets there.
    setListed({ of, list: page })
  }, [])

  const { data } = first
  const listedOf = useRef<unknown>(null)
  listedOf.current = listed?.of ?? null
  useEffect(() => {
    if (data === undefined) return
    if (isAtTop.current || listedOf.current !== name) takeIn(data, name)
    else {
      waiting.current = data
      setNews(true)
    }
  }, [data, name, takeIn])

  const current = listed?.of === name ? listed.list : null
  const loadMore = useCallback(() => {
    const from = current?.next
    if (isLoadingMore || from === undefined || from === null) return
    setLoadingMore(true)
    setMoreError(null)
    const load = async () => {
      let after: string | null = from
      for (let empty = 0; after !== null && empty < MOST_EMPTY; empty++) {
        const page: PageAnswer<T> = await client.fetchQuery({
          queryKey: [...key, 'after', after],
          queryFn: ({ signal }) => fetchPage(after ?? undefined, signal),
          staleTime: 0,
          gcTime: 0,
        })
        setListed((before) =>
          before?.of === name ? { of: name, list: extended(before.list, page, take.current) } : before,
        )
        if (page.items.length > 0) return
        after = page.next
      }
    }
    load()
      .catch(setMoreError)
      .finally(() => setLoadingMore(false))
  }, [client, current, isLoadingMore, key, name, fetchPage])

  return {
    items: current?.items ?? [],
    isPending: current === null && first.error === null,
    error: current === null ? first.error : moreError,
    hasMore: current !== null && current.next !== null,
    isLoadingMore,
    hasNews,
    loadMore,
    retry: () => void first.refetch(),
    setAtTop: (value) => {
      isAtTop.current = value
      if (value && waiting.current !== null) takeIn(waiting.current, name)
    },
  }
}
