import { useEffect, useState, useSyncExternalStore } from 'react'
import { auditPage } from '../../api/audit.ts'
import { usePage } from '../../app/context.ts'
import { type Filter, matcherOf, serverQuery } from './filter-meaning.ts'
import { LogFeed, type PageAsked } from './log-feed.ts'

/** Between two times of showing what came: often enough for a reader, and few enough for a busy ledger. */
const PAUSE_MS = 80

/**
 * Before a picture of the screen, but not before each of them. Not while one is made: the list follows by scrolling, and the rows
 * that it then needs are only known before the next one, so this one would be blank.
 */
function soonish(): (run: () => void) => void {
  let last = 0
  return (run) => {
    setTimeout(
      () => {
        last = performance.now()
        run()
      },
      Math.max(0, last + PAUSE_MS - performance.now()),
    )
  }
}

/** What the server is asked, and what is meant, of one filter. Relative times are fixed by it. */
export function askedFor(filter: Filter, tenant: string) {
  const now = Date.now()
  const query = serverQuery(filter, tenant, now)
  return {
    load: (asked: PageAsked, signal: AbortSignal) => auditPage({ ...query, ...asked }, signal),
    matches: matcherOf(filter, tenant, now),
  }
}

/** The history by this filter, live; another one when the filter is. */
export function useLogFeed(filter: Filter, at: string | null): LogFeed | null {
  const { live, tenant } = usePage()
  const [feed, setFeed] = useState<LogFeed | null>(null)
  const meant = JSON.stringify(filter.terms)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same terms are the same filter
  useEffect(() => {
    const next = new LogFeed({ ...askedFor(filter, tenant), soon: soonish(), at })
    const stops = [
      live.onRecord((record) => next.heard(record)),
      live.onGap(() => next.heardGap()),
      live.subscribe(() => {
        if (live.connection === 'live') void next.catchUp()
      }),
    ]
    setFeed(next)
    void next.start()
    return () => {
      for (const stop of stops) stop()
      next.close()
    }
  }, [live, tenant, meant, at])
  return feed
}

const nothing = () => () => undefined

/** Shows again whatever changes in it. */
export function useVersion(feed: LogFeed | null): number {
  return useSyncExternalStore(feed?.subscribe ?? nothing, () => feed?.version ?? -1)
}
