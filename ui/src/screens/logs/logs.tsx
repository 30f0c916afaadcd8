// The history of the ledger as a log: live, searched by one field, and linked to entry by entry.
import { useCallback, useMemo, useState } from 'react'
import type { HistoryRecord } from '../../api/live.ts'
import { usePage } from '../../app/context.ts'
import { stringifySearch, useUrlState } from '../../app/url-state.ts'
import { Loading } from '../../parts/answer.tsx'
import { Button } from '../../parts/button.tsx'
import { ErrorNotice, Notice } from '../../parts/notice.tsx'
import { Screen } from '../../parts/screen.tsx'
import { ExportButtons } from './export-buttons.tsx'
import { FilterBox } from './filter-box.tsx'
import { FilterChips } from './filter-chips.tsx'
import { seenIn } from './filter-completion.ts'
import { parse, print } from './filter-language.ts'
import { filterOf, fixedInTime } from './filter-meaning.ts'
import { knownValues } from './known-values.ts'
import { LevelChips } from './level-chips.tsx'
import styles from './log-controls.module.css'
import type { LogFeed } from './log-feed.ts'
import { LogList } from './log-list.tsx'
import { RangePicks } from './range-picks.tsx'
import { useLogFeed, useVersion } from './use-log-feed.ts'

const NO_COUNTS = { error: 0, warn: 0, info: 0, debug: 0 }
/** Of so many entries values are offered. */
const LOOKED_AT = 5000

export function LogsScreen() {
  const { machines, tenant } = usePage()
  const [{ f: text = '', at }, setUrl] = useUrlState()
  const known = useMemo(() => knownValues(machines, tenant), [machines, tenant])
  const filter = useMemo(() => filterOf(text, known), [text, known])
  const feed = useLogFeed(filter, at ?? null)
  const version = useVersion(feed)
  const [isPaused, setPaused] = useState(false)
  const [isWrapped, setWrapped] = useState(false)
  const apply = (next: string, isPlace = true) => setUrl({ f: next, at: null }, { isPlace })
  const onNewest = () => {
    setPaused(false)
    if (at !== undefined) setUrl({ at: null })
    else void feed?.toEnd()
  }
  return (
    <Screen title="Logs" isTall={true} actions={<ExportButtons filter={filter} />}>
      <search className={styles.filter} aria-label="Filters">
        <FilterBox
          value={text}
          known={known}
          vocabulary={() => seenIn(feed?.buffer.records.slice(-LOOKED_AT) ?? [], known)}
          onApply={apply}
        />
      </search>
      <FilterChips text={text} filter={filter} onChange={apply} />
      <div className={styles.controls}>
        <LevelChips text={text} filter={filter} counts={feed?.buffer.counts ?? NO_COUNTS} onChange={apply} />
        <RangePicks text={text} filter={filter} onChange={apply} />
        <Button onClick={() => (isPaused ? onNewest() : setPaused(true))} isPressed={isPaused}>
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
        <Button onClick={() => setWrapped(!isWrapped)} isPressed={isWrapped}>
          Wrap lines
        </Button>
      </div>
      {feed === null ? (
        <Loading />
      ) : (
        <Entries
          key={at ?? ''}
          {...{ feed, version, isPaused, isWrapped, onNewest, text }}
          at={at ?? null}
          onClear={() => apply('')}
        />
      )}
    </Screen>
  )
}

interface EntriesProps {
  readonly feed: LogFeed
  readonly version: number
  readonly text: string
  readonly at: string | null
  readonly isPaused: boolean
  readonly isWrapped: boolean
  onNewest(): void
  onClear(): void
}

function Entries({ feed, text, at, onClear, ...shown }: EntriesProps) {
  const { tenant } = usePage()
  const linkOf = useCallback(
    ({ cursor }: HistoryRecord) => {
      const f = print(fixedInTime(parse(text), Date.now()))
      return `${location.origin}/logs${stringifySearch({ tenant, f, at: cursor })}`
    },
    [text, tenant],
  )
  const { status, error, buffer, hasOlder } = feed
  if (status === 'failed') return <ErrorNotice error={error} retry={() => void feed.start()} />
  if (status === 'loading' && buffer.records.length === 0) return <Loading />
  if (buffer.records.length === 0 && !hasOlder) return <Nothing isFiltered={text !== ''} onClear={onClear} />
  const place = at === null || !/^\d+$/.test(at) ? null : Number(at)
  const isMissing = place !== null && buffer.records[buffer.indexOf(place)]?.seq !== place
  return (
    <>
      {isMissing && status === 'ready' ? (
        <p role="note" className={styles.note}>
          The entry that was linked to is not among these: it is past its time, or does not match.
        </p>
      ) : null}
      <LogList feed={feed} at={place} linkOf={linkOf} {...shown} />
    </>
  )
}

function Nothing({ isFiltered, onClear }: { readonly isFiltered: boolean; onClear(): void }) {
  if (!isFiltered) {
    return (
      <Notice kind="empty" title="Nothing has happened yet">
        Whatever happens to a job, a document or anything else is told here, as it happens.
      </Notice>
    )
  }
  return (
    <Notice kind="no-match" title="No entry matches" action={{ label: 'Clear filters', run: onClear }}>
      What matches is shown here as soon as it happens.
    </Notice>
  )
}
