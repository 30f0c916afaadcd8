import { useCallback, useEffect, useState } from 'react'
import type { LogFeed } from './log-feed.ts'

const END_PX = 30

interface Following {
  readonly isFollowing: boolean
  /** How many came since it does not. */
  readonly news: number
  onScroll(scroller: HTMLElement): void
}

/** Whether the newest stay in sight: as long as the reader is there, and wants it so. */
export function useFollowing(feed: LogFeed, version: number, isPaused: boolean): Following {
  const [isAtEnd, setAtEnd] = useState(true)
  const [seen, setSeen] = useState(0)
  const isFollowing = isAtEnd && !isPaused && !feed.hasNewer
  feed.isFollowed = isFollowing
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each change of the feed
  useEffect(() => {
    if (isFollowing) setSeen(feed.arrived)
  }, [isFollowing, feed, version])
  const onScroll = useCallback(({ scrollHeight, scrollTop, clientHeight }: HTMLElement) => {
    setAtEnd(scrollHeight - scrollTop - clientHeight <= END_PX)
  }, [])
  return { isFollowing, news: isFollowing ? 0 : Math.max(0, feed.arrived - seen), onScroll }
}
