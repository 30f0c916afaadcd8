import { useState } from 'react'
import type { JobName } from '../../../api/jobs.ts'
import { useUrlState } from '../../../app/url-state.ts'
import { bytes, count, many } from '../../../format/numbers.ts'
import { Button } from '../../../parts/button.tsx'
import { TextFilter } from '../../../parts/filters.tsx'
import { useToasts } from '../../../parts/toasts.tsx'
import styles from './log.module.css'
import type { LogFeed, LogSeen } from './log-feed.ts'
import { save } from './save.ts'
import type { LogHits } from './use-log-search.ts'

interface LogToolbarProps {
  readonly feed: LogFeed
  readonly seen: LogSeen
  readonly name: JobName
  readonly found: LogHits
  readonly hitAt: number
  readonly isFollowing: boolean
  readonly whyNotWrapped: string | null
  onHit(by: number): void
  onFollow(isFollowing: boolean): void
}

export function LogToolbar(props: LogToolbarProps) {
  const { feed, seen, name, isFollowing, onFollow, whyNotWrapped } = props
  const [url, setUrl] = useUrlState()
  const toasts = useToasts()
  const isWrapped = url.wrap === '1'
  return (
    <div className={styles.toolbar}>
      <Search {...props} />
      <GoToLine />
      <div className={styles.buttons}>
        {seen.isFromStart ? null : (
          <Button onClick={() => void feed.loadAll().catch(toasts.fail)} isBusy={seen.progress !== null}>
            {seen.progress === null ? 'Load all' : `Loading ${Math.round(seen.progress * 100)} %`}
          </Button>
        )}
        <Button
          isPressed={isWrapped && whyNotWrapped === null}
          whyNot={whyNotWrapped}
          onClick={() => setUrl({ wrap: isWrapped ? null : '1' }, { isPlace: false })}
        >
          Wrap
        </Button>
        <Button isPressed={isFollowing} onClick={() => onFollow(!isFollowing)}>
          Follow
        </Button>
        <Button onClick={() => void save(feed, name).catch(toasts.fail)}>Download</Button>
      </div>
      <Status seen={seen} />
    </div>
  )
}

function Search({ seen, found, hitAt, onHit }: LogToolbarProps) {
  const [url] = useUrlState()
  const { hits, isFull, isLooking } = found
  return (
    <div
      className={styles.search}
      role="search"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
        event.preventDefault()
        onHit(event.shiftKey ? -1 : 1)
      }}
    >
      <TextFilter name="find" label="Find in the log" placeholder="Text" />
      {url.find === undefined ? null : (
        <>
          <span className={styles.hits} role="status">
            {hitAt < 0 ? '' : `${count(hitAt + 1)} of `}
            {count(hits.length)}
            {isFull ? '+' : ''}
            {hitAt < 0 ? (hits.length === 1 ? ' hit' : ' hits') : ''}
            {isLooking ? '…' : ''}
            {seen.isFromStart ? '' : ' in what is loaded'}
          </span>
          <Button label="Hit before" onClick={() => onHit(-1)}>
            ↑
          </Button>
          <Button label="Next hit" onClick={() => onHit(1)}>
            ↓
          </Button>
        </>
      )}
    </div>
  )
}

function GoToLine() {
  const [url, setUrl] = useUrlState()
  const [text, setText] = useState(url.line ?? '')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        setUrl({ line: /^[1-9]\d*$/.test(text) ? text : null }, { isPlace: false })
      }}
    >
      <label className={styles.goto}>
        <span>Line</span>
        <input inputMode="numeric" value={text} onChange={({ target }) => setText(target.value)} />
      </label>
    </form>
  )
}

const STATUS = { loading: '', missing: 'gone', failed: 'failed', live: 'live', complete: 'complete' } as const

function Status({ seen }: { readonly seen: LogSeen }) {
  const { lines, size, isFromStart, status, error, isLoadingEarlier } = seen
  return (
    <p className={styles.status}>
      {many(lines, 'line')}
      {isFromStart ? '' : ' loaded'} · {bytes(size)} · {STATUS[status]}
      {isLoadingEarlier ? ' · reading earlier lines' : ''}
      {error instanceof Error ? ` · ${error.message}; it is tried again` : ''}
    </p>
  )
}
