import { useEffect, useRef, useState } from 'react'
import type { LogFeed, LogSeen } from './log-feed.ts'
import { LogSearch } from './log-search.ts'

/** Looked at in one go: little enough that scrolling goes on. */
const AT_ONCE = 10_000

export interface LogHits {
  /** Lines that have it, counted from the first that is there. */
  readonly hits: readonly number[]
  readonly isFull: boolean
  readonly isLooking: boolean
}

const NONE: LogHits = { hits: [], isFull: false, isLooking: false }

export function useLogSearch(feed: LogFeed, { lines, earlier }: LogSeen, text: string): LogHits {
  const [found, setFound] = useState<LogHits>(NONE)
  const search = useRef<{ readonly key: string; readonly search: LogSearch } | null>(null)
  useEffect(() => {
    if (text === '' || lines === 0) {
      setFound(NONE)
      return
    }
    // What comes before has other lines at the same places.
    const key = `${earlier} ${text}`
    if (search.current?.key !== key) search.current = { key, search: new LogSearch(text, feed.buffer) }
    const current = search.current.search
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      const isDone = current.look(AT_ONCE)
      setFound({ hits: [...current.hits], isFull: current.isFull, isLooking: !isDone })
      if (!isDone) timer = setTimeout(look, 0)
    }
    look()
    return () => clearTimeout(timer)
  }, [feed, lines, earlier, text])
  return found
}
