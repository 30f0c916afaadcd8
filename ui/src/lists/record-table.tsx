// A long list of records: only the rows on the screen are in the document, `j` and `k` go through them, and news wait while the
// reader is further down.
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { useShortcuts } from '../app/shortcuts.ts'
import { Loading } from '../parts/answer.tsx'
import { Button } from '../parts/button.tsx'
import { ErrorNotice } from '../parts/notice.tsx'
import styles from './record-table.module.css'
import type { Pages } from './use-pages.ts'

export interface Column<T> {
  readonly title: string
  /** As in grid-template-columns: `minmax(10rem, 2fr)`, `8rem`. */
  readonly width: string
  readonly cell: (item: T) => ReactNode
  /** Left out where the screen is narrow. */
  readonly isExtra?: boolean
}

interface RecordTableProps<T> {
  readonly label: string
  readonly pages: Pages<T>
  readonly columns: readonly Column<T>[]
  readonly keyOf: (item: T) => string
  /** What Enter and a double click do. */
  readonly onOpen: (item: T) => void
  /** Shown when there is nothing. */
  readonly nothing: ReactNode
}

const ROW = 38
const OVERSCAN = 8
/** So many rows before the end the next page is read. */
const AHEAD = 30
const TOP_PX = 4

export function RecordTable<T>({ label, pages, columns, keyOf, onOpen, nothing }: RecordTableProps<T>) {
  const { items, isPending, error, hasMore, hasNews, loadMore, setAtTop, retry } = pages
  const scroller = useRef<HTMLDivElement>(null)
  const [chosen, setChosen] = useState<string | null>(null)
  // Another function would have all rows measured again.
  const getItemKey = useCallback((i: number) => keyOf(items[i] as T), [items, keyOf])
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: OVERSCAN,
    getItemKey,
  })
  const rows = virtualizer.getVirtualItems()
  const last = rows.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && last + AHEAD >= items.length) loadMore()
  }, [hasMore, last, items.length, loadMore])

  const at = chosen === null ? -1 : items.findIndex((item) => keyOf(item) === chosen)
  const choose = (index: number) => {
    const item = items[Math.max(0, Math.min(items.length - 1, index))]
    if (item === undefined) return
    setChosen(keyOf(item))
    virtualizer.scrollToIndex(items.indexOf(item))
  }
  useShortcuts(label, [
    { keys: 'j', about: 'Next row', run: () => choose(at + 1) },
    { keys: 'k', about: 'Row before', run: () => choose(at < 0 ? 0 : at - 1) },
    {
      keys: 'Enter',
      about: 'Open the row',
      run: () => {
        const item = items[at]
        if (item !== undefined) onOpen(item)
      },
    },
  ])

  // A filter that matches little has the server read on, page by page.
  if (isPending || (items.length === 0 && hasMore && error === null)) return <Loading />
  if (items.length === 0) return error === null ? nothing : <ErrorNotice error={error} retry={retry} />
  const template = { '--columns': columns.map(({ width }) => width).join(' ') } as React.CSSProperties
  return (
    <div className={styles.frame} style={template}>
      {hasNews ? (
        <div className={styles.news}>
          <Button look="primary" onClick={() => virtualizer.scrollToOffset(0)}>
            ↑ There is news
          </Button>
        </div>
      ) : null}
      <div
        ref={scroller}
        className={styles.scroller}
        tabIndex={0}
        role="table"
        aria-label={label}
        aria-rowcount={hasMore ? -1 : items.length}
        onScroll={({ currentTarget }) => setAtTop(currentTarget.scrollTop <= TOP_PX)}
      >
        <div role="rowgroup" className={styles.head}>
          <div role="row" className={styles.row}>
            {columns.map(({ title, isExtra }) => (
              <div key={title} role="columnheader" data-extra={isExtra}>
                {title}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" className={styles.body} style={{ height: virtualizer.getTotalSize() }}>
          {rows.map(({ index, key, start }) => {
            const item = items[index] as T
            return (
              <div
                key={key}
                role="row"
                aria-rowindex={index + 1}
                aria-selected={keyOf(item) === chosen}
                className={styles.row}
                style={{ transform: `translateY(${start}px)` }}
                onClick={() => setChosen(keyOf(item))}
                onDoubleClick={() => onOpen(item)}
              >
                {columns.map(({ title, cell, isExtra }) => (
                  <div key={title} role="cell" data-extra={isExtra}>
                    {cell(item)}
                  </div>
                ))}
              </div>
            )
          })}
        </div>
        {error === null ? null : <ErrorNotice error={error} retry={loadMore} />}
      </div>
    </div>
  )
}
