import type { LogFeed, LogSeen } from './log-feed.ts'

/** As high as a line that is not wrapped. */
export const LINE_PX = 20

/** What the lines of a log are shown by, wrapped or not. */
export interface LinesProps {
  readonly feed: LogFeed
  readonly seen: LogSeen
  readonly search: string
  /** Counted from the first that is there. */
  readonly linked: number | null
  readonly hit: number | null
  readonly isFollowing: boolean
  /** Where to go, once for each object. */
  readonly target: { readonly line: number } | null
  /** The reader has scrolled: to the end, or away from it. */
  onFollow(isFollowing: boolean): void
  onNumber(line: number): void
  /** To the first line of all, or to the end. */
  onHome(): void
}

/** So close to the end counts as there. */
const END_PX = 24
/** So close to the first line that is there, what was before is read. */
export const EARLIER_PX = 600

export function isAtEnd({ scrollTop, clientHeight, scrollHeight }: HTMLElement): boolean {
  return scrollTop + clientHeight >= scrollHeight - END_PX
}

/** Keys of the region that has the lines. */
export function onLinesKey(
  event: React.KeyboardEvent,
  { onHome, onFollow }: Pick<LinesProps, 'onHome' | 'onFollow'>,
): void {
  if (event.key === 'Home') onHome()
  else if (event.key === 'End') onFollow(true)
  else return
  event.preventDefault()
}
