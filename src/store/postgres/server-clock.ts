import type { Clock } from '../../world/clock.ts'

/** Times that the server is asked: the quickest answer says most exactly how late it is there. */
const QUESTIONS = 3

/** The machine's clock, set by the server's when the ledger is opened. */
export async function serverClock(clock: Clock, ask: () => Promise<number>): Promise<Clock> {
  let best = { tookMs: Number.POSITIVE_INFINITY, ahead: 0 }
  for (let n = 0; n < QUESTIONS; n++) {
    const before = clock.now()
    const there = await ask()
    const after = clock.now()
    const tookMs = after - before
    if (tookMs < best.tookMs) best = { tookMs, ahead: Math.round(there - (before + after) / 2) }
  }
  const { ahead } = best
  return { now: () => clock.now() + ahead }
}
