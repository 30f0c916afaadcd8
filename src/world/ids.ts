import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'
import type { IdSource } from '../core/decision.ts'

const BYTES_PER_ID = 16

/** Asking the system for randomness costs more than making the id: ask for many ids at once. */
const pool = new Uint8Array(BYTES_PER_ID * 1024)
let used = pool.length

function randomBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += BYTES_PER_ID
  return pool.subarray(used - BYTES_PER_ID, used)
}

let lastMs = 0
let seq = 0

/** UUID version 7: sorted by time of making, also within a millisecond. */
export const systemIds: IdSource = {
  next() {
    const random = randomBytes()
    const now = Date.now()
    if (now > lastMs) {
      lastMs = now
      // Starts low in its 32 bits, so that counting on from it cannot overflow within a millisecond.
      seq = ((random[6] as number) << 16) | ((random[7] as number) << 8) | (random[8] as number)
    } else {
      seq++
    }
    return v7({ msecs: lastMs, seq, random })
  },
}
