import type { Duration } from '../core/duration.ts'
import type { Role } from '../core/token/record.ts'

/** What callers give when they mint a token. */
export interface NewToken {
  /** Who it is for: the actor in the history of what is done with it. */
  readonly name: string
  readonly role: Role
  /** Whose records it is good for; `['*']` for everybody's. */
  readonly tenants: readonly string[]
  /** How long it is good: milliseconds, or text such as `90d`. For ever, when neither this nor `expires_at` is given. */
  readonly expires_in?: Duration | undefined
  /** Until when it is good, in ISO 8601. */
  readonly expires_at?: string | undefined
}
