import { useNow } from '../app/now.ts'
import { usePreferences } from '../app/preferences.ts'
import { absolute, age, clock, type Moment, msOf, relative } from '../format/time.ts'

interface WhenProps {
  /** ISO 8601, or epoch seconds. */
  readonly at: Moment | null
}

/** How long ago, or in how long; exactly when, on hover. */
export function When({ at }: WhenProps) {
  const now = useNow()
  const { zone } = usePreferences()
  if (at === null) return <span>–</span>
  return (
    <time dateTime={new Date(msOf(at)).toISOString()} title={absolute(at, zone)}>
      {relative(at, now)}
    </time>
  )
}

/** For how long already. */
export function Since({ at }: WhenProps) {
  const now = useNow()
  const { zone } = usePreferences()
  if (at === null) return <span>–</span>
  return (
    <time dateTime={new Date(msOf(at)).toISOString()} title={`since ${absolute(at, zone)}`}>
      {age(at, now)}
    </time>
  )
}

/** The time of day, for rows of a log. */
export function At({ at }: { readonly at: Moment }) {
  const { zone } = usePreferences()
  return (
    <time dateTime={new Date(msOf(at)).toISOString()} title={absolute(at, zone)}>
      {clock(at, zone)}
    </time>
  )
}
