import type { LiveLedger } from '../../runtime/live-ledger.ts'
import type { Clock } from '../../world/clock.ts'

/** What routes are made of. */
export interface RouteParts {
  readonly ledger: LiveLedger
  readonly clock: Clock
}
