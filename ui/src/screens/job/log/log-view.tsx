// The lines of a log, with what finds a way through them.
import { useEffect, useRef, useState } from 'react'
import type { JobName } from '../../../api/jobs.ts'
import { useUrlState } from '../../../app/url-state.ts'
import { many } from '../../../format/numbers.ts'
import { Button } from '../../../parts/button.tsx'
import { Notice } from '../../../parts/notice.tsx'
import { useToasts } from '../../../parts/toasts.tsx'
import type { LinesProps } from './lines.ts'
import styles from './log.module.css'
import type { LogFeed, LogSeen } from './log-feed.ts'
import { LogToolbar } from './log-toolbar.tsx'
import { PlainLines } from './plain-lines.tsx'
import { useLogSearch } from './use-log-search.ts'
import { WrappedLines } from './wrapped-lines.tsx'

/** Each line that is wrapped has to be measured. */
const MOST_WRAPPED = 100_000

interface LogViewProps {
  readonly feed: LogFeed
  readonly seen: LogSeen
  readonly name: JobName
}

export function LogView({ feed, seen, name }: LogViewProps) {
  const [url] = useUrlState()
  const search = url.find ?? ''
  const place = usePlace(feed, seen)
  const found = useLogSearch(feed, seen, search)
  const { hitAt, goToHit } = useHits(found.hits, search, place.goTo)
  const hit = found.hits[hitAt] ?? null
  const whyNotWrapped =
    seen.lines > MOST_WRAPPED ? `More than ${many(MOST_WRAPPED, 'line')} cannot be wrapped.` : null
  const isWrapped = url.wrap === '1' && whyNotWrapped === null
  const Lines = isWrapped ? WrappedLines : PlainLines
  const lines: LinesProps = { ...place, feed, seen, search, hit }
  return (
    <section className={styles.log} aria-label="Log of the job">
      <LogToolbar
        feed={feed}
        seen={seen}
        name={name}
        found={found}
        hitAt={hitAt}
        onHit={goToHit}
        isFollowing={place.isFollowing}
        onFollow={place.onFollow}
        whyNotWrapped={whyNotWrapped}
      />
      {seen.lines === 0 ? (
        <Notice kind="empty" title="Nothing has been printed yet">
          What comes is shown as it comes.
        </Notice>
      ) : (
        <div className={styles.body}>
          <Lines key={isWrapped ? 'wrapped' : 'plain'} {...lines} />
          {place.isFollowing || place.newLines === 0 ? null : (
            <div className={styles.news}>
              <Button look="primary" onClick={() => place.onFollow(true)}>
                ↓ {many(place.newLines, 'new line')}
              </Button>
            </div>
          )}
        </div>
      )}
    </section>
  )
}

/** Which of the hits one is at; -1 before one has gone to any. */
function useHits(hits: readonly number[], search: string, goTo: (line: number) => void) {
  const [at, setAt] = useState({ search, hit: -1 })
  const hitAt = at.search === search ? Math.min(at.hit, hits.length - 1) : -1
  const goToHit = (by: number) => {
    if (hits.length === 0) return
    const hit = hitAt < 0 && by < 0 ? hits.length - 1 : (hitAt + by + hits.length) % hits.length
    setAt({ search, hit })
    goTo(hits[hit] ?? 0)
  }
  return { hitAt, goToHit }
}

/** Where in the log one is: at its end as it grows, or somewhere that was gone to. */
function usePlace(feed: LogFeed, seen: LogSeen) {
  const [url, setUrl] = useUrlState()
  const toasts = useToasts()
  const wanted = Number.parseInt(url.line ?? '', 10)
  const [isFollowing, setFollowing] = useState(Number.isNaN(wanted))
  const [target, setTarget] = useState<{ readonly line: number } | null>(null)
  const last = seen.lines - seen.earlier
  const paused = useRef(last)
  if (isFollowing) paused.current = last
  const goTo = (line: number) => {
    setFollowing(false)
    setTarget({ line })
  }
  const gone = useRef<number | null>(null)
  useEffect(() => {
    if (Number.isNaN(wanted) || gone.current === wanted) return
    gone.current = wanted
    const go = async () => {
      await feed.loadAll()
      goTo(Math.max(0, Math.min(wanted, feed.seen.lines) - 1))
    }
    void go().catch(toasts.fail)
  })
  const onNumber = (line: number) => {
    const fromFirstRead = line - seen.earlier
    const link = async () => {
      await feed.loadAll()
      const number = fromFirstRead + feed.seen.earlier + 1
      gone.current = number
      setUrl({ line: String(number) }, { isPlace: false })
    }
    void link().catch(toasts.fail)
  }
  const onHome = () => {
    setFollowing(false)
    void feed
      .loadAll()
      .then(() => goTo(0))
      .catch(toasts.fail)
  }
  const linked = seen.isFromStart && !Number.isNaN(wanted) ? wanted - 1 : null
  const newLines = last - paused.current
  return { isFollowing, onFollow: setFollowing, target, goTo, linked, newLines, onNumber, onHome }
}
