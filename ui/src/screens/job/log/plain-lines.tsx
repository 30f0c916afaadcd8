// Lines that are not wrapped: all are of one height, so that where each is can be worked out, however many there are.
import { useLayoutEffect, useRef, useState } from 'react'
import { heightOf, lineAt, type Scrolled, scrollTopOf, windowAt } from '../../../shapes/scaled-scroll.ts'
import { EARLIER_PX, isAtEnd, LINE_PX, type LinesProps, onLinesKey } from './lines.ts'
import styles from './log.module.css'
import { LogLine } from './log-line.tsx'

const AROUND = 12

export function PlainLines(props: LinesProps) {
  const { feed, seen, search, linked, hit, onNumber } = props
  const { scroller, scrolled, scrollTop, onScroll } = usePlainScroll(props)
  const { first, end, top } = windowAt(scrolled, scrollTop, AROUND)
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      role="region"
      aria-label="Log"
      tabIndex={0}
      onScroll={onScroll}
      onKeyDown={(event) => onLinesKey(event, props)}
    >
      <div className={styles.sizer} style={{ height: heightOf(scrolled) }}>
        <div className={styles.window} style={{ transform: `translateY(${top}px)` }}>
          {Array.from({ length: Math.max(0, end - first) }, (_, i) => {
            const line = first + i
            return (
              <LogLine
                key={line - seen.earlier}
                text={feed.buffer.line(line)}
                number={seen.isFromStart ? line + 1 : null}
                search={search}
                mark={line === linked ? 'linked' : line === hit ? 'hit' : null}
                onNumber={() => onNumber(line)}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

function usePlainScroll({ feed, seen, isFollowing, target, onFollow }: LinesProps) {
  const { lines, earlier } = seen
  const scroller = useRef<HTMLDivElement>(null)
  const [scrollTop, setScrollTop] = useState(0)
  const [viewport, setViewport] = useState(400)
  const scrolled: Scrolled = { lines, lineHeight: LINE_PX, viewport }
  /** The line at the top, as `earlier` was then: it stays there, whatever comes before it. */
  const top = useRef({ line: 0, earlier })

  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    const observer = new ResizeObserver(() => setViewport(element.clientHeight))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: when there are other lines, or another height
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return
    if (isFollowing) element.scrollTop = element.scrollHeight
    else {
      const line = top.current.line + earlier - top.current.earlier
      const wanted = scrollTopOf(scrolled, line)
      if (Math.abs(wanted - element.scrollTop) > 1) element.scrollTop = wanted
      top.current = { line, earlier }
    }
    setScrollTop(element.scrollTop)
  }, [lines, earlier, viewport, isFollowing])

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each target
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null || target === null) return
    element.scrollTop = scrollTopOf(scrolled, target.line - Math.floor(viewport / LINE_PX / 3))
    top.current = { line: lineAt(scrolled, element.scrollTop), earlier }
    setScrollTop(element.scrollTop)
  }, [target])

  const onScroll = ({ currentTarget }: React.UIEvent<HTMLDivElement>) => {
    setScrollTop(currentTarget.scrollTop)
    top.current = { line: lineAt(scrolled, currentTarget.scrollTop), earlier }
    onFollow(isAtEnd(currentTarget))
    if (top.current.line * LINE_PX < EARLIER_PX) void feed.loadEarlier().catch(() => undefined)
  }
  return { scroller, scrolled, scrollTop, onScroll }
}
