// What is shown is in the URL, so that it can be sent to somebody, and the way back is the browser's own.
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

export type UrlState = { readonly [name: string]: string | undefined }

type Change = { readonly [name: string]: string | null | undefined }

interface SetOptions {
  /** A place to come back to. What is typed letter by letter makes none. */
  readonly isPlace?: boolean
}

export function useUrlState(): readonly [UrlState, (change: Change, options?: SetOptions) => void] {
  const search = useSearch({ strict: false }) as UrlState
  const navigate = useNavigate()
  const set = useCallback(
    (change: Change, { isPlace = true }: SetOptions = {}) => {
      void navigate({
        to: '.',
        search: (before: UrlState) => changed(before, change),
        replace: !isPlace,
        resetScroll: false,
      } as never)
    },
    [navigate],
  )
  return [search, set]
}

/** Null and empty texts take a name away. */
export function changed(before: UrlState, change: Change): UrlState {
  const after: { [name: string]: string } = {}
  for (const [name, value] of Object.entries({ ...before, ...change })) {
    if (value !== undefined && value !== null && value !== '') after[name] = value
  }
  return after
}

/** Plain texts, without quotes around what looks like a number: a URL is for people, too. */
export function parseSearch(text: string): UrlState {
  return Object.fromEntries(new URLSearchParams(text))
}

export function stringifySearch(state: { readonly [name: string]: unknown }): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(state)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value))
  }
  const text = search.toString().replaceAll('%2C', ',').replaceAll('%3A', ':')
  return text === '' ? '' : `?${text}`
}

/** A list in one value: `a,b`. */
export function listIn(value: string | undefined): readonly string[] {
  return value === undefined || value === '' ? [] : value.split(',')
}
