// The entries, the newest at the bottom. They follow what happens while the reader is there, and stay where they are otherwise.
import { useCallback, useEffect, useRef, useState } from 'react'
import type { HistoryRecord } from '../../api/live.ts'
import { usePreferences } from '../../app/preferences.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { count } from '../../format/numbers.ts'
import { absolute } from '../../format/time.ts'
import { Button } from '../../parts/button.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { LogCells } from './log-cells.tsx'
import type { LogFeed } from './log-feed.ts'
import styles from './log-list.module.css'
import { LogTop } from './log-top.tsx'
import { useFollowing } from './use-following.ts'
import { useIsNarrow } from './use-is-narrow.ts'
import { useLogWindow } from './use-log-window.ts'

interface LogListProps {
  readonly feed: LogFeed
  readonly version: number
  /** The place in the log that was linked to. */
  readonly at: number | null
  readonly isPaused: boolean
  readonly isWrapped: boolean
  readonly linkOf: (record: HistoryRecord) => string
  onNewest(): void
}

const NONE: ReadonlySet<number> = new Set()
const COLUMNS = [
  'Time',
  'Level',
  'Kind',
  'Id',
  'Change',
  'Actor',
  'Adapter or tool',
  'Error or reason',
  'Link',
]

export function LogList(props: LogListProps) {
  const { feed, version, at, isPaused, isWrapped, linkOf, onNewest } = props
  const scroller = useRef<HTMLDivElement>(null)
  const isNarrow = useIsNarrow()
  const { zone } = usePreferences()
  const { opened, toggle, closeAll } = useOpened()
  // Nothing moves away from who reads the whole of an entry.
  const { isFollowing, news, onScroll } = useFollowing(feed, version, isPaused || opened.size > 0)
  const { virtualizer, rows } = useLogWindow({ feed, scroller, isFollowing, isWrapped, isNarrow, at })
  const { records } = feed.buffer
  const show = (index: number) => virtualizer.scrollToIndex(index, { align: 'auto' })
  const { chosen, choose } = useChosen({ feed, at, show, toggle })
  const toEnd = () => {
    closeAll()
    if (feed.hasNewer) onNewest()
    else virtualizer.scrollToIndex(records.length - 1, { align: 'end' })
  }
  const wasPaused = useRef(isPaused)
  useEffect(() => {
    if (wasPaused.current && !isPaused) toEnd()
    wasPaused.current = isPaused
  })
  const today = absolute(Date.now() / 1000, zone).slice(0, 10)
  return (
    <div className={styles.frame} role="table" aria-label="Log" aria-rowcount={-1} data-wrap={isWrapped}>
      <div role="rowgroup" className={styles.head}>
        <div role="row" className={styles.cells}>
          {COLUMNS.map((title) => (
            <div key={title} role="columnheader">
              {title === 'Level' || title === 'Link' ? <span className={styles.hidden}>{title}</span> : title}
            </div>
          ))}
        </div>
      </div>
      <div
        ref={scroller}
        className={styles.scroller}
        role="rowgroup"
        tabIndex={0}
        aria-label="Entries"
        onScroll={({ currentTarget }) => onScroll(currentTarget)}
      >
        <div role="presentation" className={styles.body} style={{ height: virtualizer.getTotalSize() }}>
          <LogTop feed={feed} />
          {rows.map(({ index, key, start }) => {
            const record = records[index]
            if (record === undefined) return null
            const isOpen = opened.has(record.seq)
            const isTall = isOpen || isWrapped || feed.buffer.isAfterGap(record)
            return (
              <div
                key={key}
                ref={isTall ? virtualizer.measureElement : null}
                data-index={index}
                data-seq={record.seq}
                data-level={record.level}
                data-target={record.seq === at}
                role="row"
                aria-selected={record.seq === chosen}
                className={styles.row}
                style={{ transform: `translateY(${start}px)` }}
                onClick={() => choose(index)}
                onDoubleClick={() => toggle(record)}
              >
                {feed.buffer.isAfterGap(record) ? (
                  <p className={styles.gap}>
                    Entries are missing here: they were kept for as long as they had to be
                  </p>
                ) : null}
                <LogCells
                  record={record}
                  zone={zone}
                  today={today}
                  isOpen={isOpen}
                  linkOf={linkOf}
                  onToggle={toggle}
                />
                {isOpen ? (
                  <div role="cell" className={styles.whole}>
                    <JsonView value={record} label="The whole entry" />
                  </div>
                ) : null}
              </div>
            )
          })}
        </div>
      </div>
      {isFollowing || (news === 0 && !feed.hasNewer) ? null : (
        <div className={styles.news}>
          <Button look="primary" onClick={isPaused ? onNewest : toEnd}>
            ↓ {news === 0 ? 'Newest' : `${count(news)} new`}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Which entries are shown as a whole. */
function useOpened() {
  const [opened, setOpened] = useState<ReadonlySet<number>>(NONE)
  const toggle = useCallback(({ seq }: HistoryRecord) => {
    setOpened((before) => {
      const after = new Set(before)
      if (!after.delete(seq)) after.add(seq)
      return after
    })
  }, [])
  const closeAll = useCallback(() => setOpened(NONE), [])
  return { opened, toggle, closeAll }
}

interface ChosenOptions {
  readonly feed: LogFeed
  readonly at: number | null
  show(index: number): void
  toggle(record: HistoryRecord): void
}

/** Which row the keys are at. */
function useChosen({ feed, at, show, toggle }: ChosenOptions) {
  const [chosen, setChosen] = useState<number | null>(at)
  const { records } = feed.buffer
  const choose = (index: number) => setChosen(records[index]?.seq ?? null)
  const step = (by: number) => {
    const index = chosen === null ? records.length - 1 : feed.buffer.indexOf(chosen) + by
    if (records[index] === undefined) return
    choose(index)
    show(index)
  }
  useShortcuts('Log', [
    { keys: 'j', about: 'Next entry', run: () => step(1) },
    { keys: 'k', about: 'Entry before', run: () => step(-1) },
    {
      keys: 'Enter',
      about: 'Open the entry, or close it',
      run: () => {
        const record = chosen === null ? undefined : records[feed.buffer.indexOf(chosen)]
        if (record !== undefined && record.seq === chosen) toggle(record)
      },
    },
  ])
  return { chosen, choose }
}
