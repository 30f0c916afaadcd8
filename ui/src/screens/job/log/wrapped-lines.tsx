// Lines that are wrapped: each is as high as it turns out to be.
import { useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useLayoutEffect, useRef } from 'react'
import { EARLIER_PX, isAtEnd, LINE_PX, type LinesProps, onLinesKey } from './lines.ts'
import styles from './log.module.css'
import { LogLine } from './log-line.tsx'

export function WrappedLines(props: LinesProps) {
  const { feed, seen, search, linked, hit, isFollowing, target, onFollow, onNumber } = props
  const { lines, earlier } = seen
  const scroller = useRef<HTMLDivElement>(null)
  const getItemKey = useCallback((line: number) => line - earlier, [earlier])
  const virtualizer = useVirtualizer({
    count: lines,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    overscan: 12,
    getItemKey,
  })
  const height = virtualizer.getTotalSize()
  const before = useRef(earlier)
  // biome-ignore lint/correctness/useExhaustiveDependencies: when there are other lines, or other heights
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    const added = earlier - before.current
    before.current = earlier
    if (isFollowing) element.scrollTop = element.scrollHeight
    else if (added > 0) element.scrollTop += added * LINE_PX
  }, [lines, earlier, height, isFollowing])
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each target
  useLayoutEffect(() => {
    if (target !== null) virtualizer.scrollToIndex(target.line, { align: 'center' })
  }, [target])
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      role="region"
      aria-label="Log"
      tabIndex={0}
      data-wrapped="true"
      onScroll={({ currentTarget }) => {
        onFollow(isAtEnd(currentTarget))
        if (currentTarget.scrollTop < EARLIER_PX) void feed.loadEarlier().catch(() => undefined)
      }}
      onKeyDown={(event) => onLinesKey(event, props)}
    >
      <div className={styles.sizer} style={{ height }}>
        {virtualizer.getVirtualItems().map(({ index, key, start }) => (
          <div
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            className={styles.wrapped}
            style={{ transform: `translateY(${start}px)` }}
          >
            <LogLine
              text={feed.buffer.line(index)}
              number={seen.isFromStart ? index + 1 : null}
              search={search}
              mark={index === linked ? 'linked' : index === hit ? 'hit' : null}
              onNumber={() => onNumber(index)}
            />
          </div>
        ))}
      </div>
    </div>
  )
}
