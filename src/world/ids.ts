import { v7 } from 'uuid'
import type { IdSource } from '../core/decision.ts'

/** UUID version 7: sorted by time of making, also within a millisecond. */
export const systemIds: IdSource = { next: () => v7() }
