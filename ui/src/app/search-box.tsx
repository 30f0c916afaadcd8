// Finds a record by a part of its id, whatever kind it is. What was found is gone through by arrow keys.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useId, useState } from 'react'
import type { SearchHit, SearchResult } from '../../../src/ledger/search.ts'
import { ask } from '../api/client.ts'
import { pathOf } from '../parts/record-link.tsx'
import { StatePill } from '../parts/state-pill.tsx'
import { usePage } from './context.ts'
import styles from './search-box.module.css'

const searchQuery = (tenant: string, q: string) =>
  queryOptions({
    queryKey: ['search', tenant, q],
    queryFn: ({ signal }) => ask<SearchResult>('/v1/search', { signal, query: { tenant_id: tenant, q } }),
    enabled: q !== '',
    staleTime: 5000,
  })

export function SearchBox() {
  const { tenant } = usePage()
  const navigate = useNavigate()
  const listId = useId()
  const [text, setText] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [at, setAt] = useState(0)
  const q = useDeferredValue(text.trim())
  const { data, error, isFetching } = useQuery(searchQuery(tenant, q))
  const items = q === '' ? [] : (data?.items ?? [])
  const go = (found: SearchHit | undefined) => {
    if (found === undefined) return
    setOpen(false)
    setText('')
    void navigate({ to: pathOf(found.kind, found.tenant_id, found.id) } as never)
  }
  const onKeyDown = (event: React.KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'ArrowDown') setAt((i) => Math.min(items.length - 1, i + 1))
    else if (event.key === 'ArrowUp') setAt((i) => Math.max(0, i - 1))
    else if (event.key === 'Enter') go(items[at])
    else if (event.key === 'Escape') event.currentTarget.blur()
    else return
    event.preventDefault()
  }
  const isShown = isOpen && q !== ''
  return (
    <div className={styles.box}>
      <input
        id="search"
        type="search"
        role="combobox"
        aria-expanded={isShown}
        aria-controls={listId}
        aria-activedescendant={isShown && items.length > 0 ? `${listId}-${at}` : undefined}
        aria-label="Search jobs, documents, runs and workstreams"
        placeholder="Search by id…  /"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setAt(0)
          setOpen(true)
        }}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      <div id={listId} className={styles.list} role="listbox" aria-label="Found" hidden={!isShown}>
        {items.map((found, i) => (
          <div
            key={`${found.kind} ${found.tenant_id} ${found.id}`}
            id={`${listId}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            className={styles.item}
            // Before the field loses the focus, and the list goes.
            onMouseDown={() => go(found)}
          >
            <span className={styles.kind}>{found.kind}</span>
            <span className={styles.id}>{found.id}</span>
            <StatePill kind={found.kind} state={found.state} />
          </div>
        ))}
        {items.length > 0 ? null : (
          <div className={styles.none} role="option" aria-selected="false" tabIndex={-1}>
            {error !== null
              ? 'The server cannot be asked now'
              : isFetching
                ? 'Looking…'
                : `Nothing has “${q}” in its id`}
          </div>
        )}
      </div>
    </div>
  )
}
