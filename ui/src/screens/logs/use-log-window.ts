// Which rows are on the screen. The reader's row stays where it is, whatever comes before it or after it.
import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useState } from 'react'
import type { LogFeed } from './log-feed.ts'

const TOP_PX = 40
const WIDE_PX = 30
const NARROW_PX = 54
const OVERSCAN = 12
/** So many rows before an end the next page is read. */
const AHEAD = 80

interface WindowOptions {
  readonly feed: LogFeed
  readonly scroller: RefObject<HTMLElement | null>
  readonly isFollowing: boolean
  readonly isWrapped: boolean
  readonly isNarrow: boolean
  /** The place in the log that is shown first. */
  readonly at: number | null
}

export function useLogWindow({ feed, scroller, isFollowing, isWrapped, isNarrow, at }: WindowOptions) {
  const { records, base } = feed.buffer
  const rowPx = isNarrow ? NARROW_PX : WIDE_PX
  const virtualizer = useVirtualizer({
    count: records.length,
    getScrollElement: () => scroller.current,
    estimateSize: useCallback(() => rowPx, [rowPx]),
    getItemKey: useCallback((i: number) => base + i, [base]),
    overscan: OVERSCAN,
    paddingStart: TOP_PX,
    anchorTo: 'end',
    followOnAppend: isFollowing,
    scrollEndThreshold: rowPx,
  })
  const isPlaced = useFirstPlace(virtualizer, feed, at)
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows have another height then
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, isWrapped, rowPx])

  const rows = virtualizer.getVirtualItems()
  const first = rows[0]?.index ?? 0
  const last = rows.at(-1)?.index ?? 0
  const { hasOlder, hasNewer, isLoadingOlder, isLoadingNewer, error } = feed
  useEffect(() => {
    if (!isPlaced || error !== null) return
    if (hasOlder && !isLoadingOlder && first <= AHEAD) void feed.loadOlder()
    if (hasNewer && !isLoadingNewer && last + AHEAD >= records.length) void feed.loadNewer()
  }, [isPlaced, error, feed, hasOlder, isLoadingOlder, first, hasNewer, isLoadingNewer, last, records.length])
  return { virtualizer, rows, rowPx }
}

/** Goes to the end, or to the place asked for, as soon as there is something. */
function useFirstPlace(
  virtualizer: ReturnType<typeof useVirtualizer<HTMLElement, Element>>,
  feed: LogFeed,
  at: number | null,
): boolean {
  const [placed, setPlaced] = useState<LogFeed | null>(null)
  const { status } = feed
  useLayoutEffect(() => {
    if (status !== 'ready') return
    const { length } = feed.buffer.records
    if (length > 0) {
      if (at === null) virtualizer.scrollToIndex(length - 1, { align: 'end' })
      else virtualizer.scrollToIndex(Math.min(feed.buffer.indexOf(at), length - 1), { align: 'center' })
    }
    // The rows around that place are known with the next picture.
    const frame = requestAnimationFrame(() => requestAnimationFrame(() => setPlaced(feed)))
    return () => cancelAnimationFrame(frame)
  }, [status, feed, at, virtualizer])
  return placed === feed && status === 'ready'
}
