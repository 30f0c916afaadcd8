import { pause } from '../../world/pause.ts'
import type { Processes, ProcessRow } from '../../world/processes.ts'
import type { World } from '../../world/world.ts'

/** Who is killed is gone within moments, unless the system itself is stuck with it: that is not waited for any longer. */
const KILLED_WITHIN_MS = 5000

/** From one look to the next, ever longer. */
const FIRST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 50

type Outside = Pick<World, 'clock' | 'timers'> & { readonly processes: Processes }

/** Those that are there now. */
type Look = () => Promise<readonly ProcessRow[]>

/** Waits until none is left, or the time has come; the answer says whether none is. */
export async function whenGone(look: Look, deadline: number, { clock, timers }: Outside): Promise<boolean> {
  for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(ms * 2, LONGEST_PAUSE_MS)) {
    if ((await look()).length === 0) return true
    if (clock.now() >= deadline) return false
    await pause(timers, Math.max(1, Math.min(ms, deadline - clock.now())))
  }
}

/**
 * Kills all that are found, again and again, as each may have started another in the meantime; answers with those that
 * would not go. Those that are not ours to kill are asked once.
 */
export async function killAll(look: Look, outside: Outside): Promise<readonly number[]> {
  const { clock, timers, processes } = outside
  const deadline = clock.now() + KILLED_WITHIN_MS
  const refused = new Set<number>()
  for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(ms * 2, LONGEST_PAUSE_MS)) {
    const found = (await look()).filter(({ pid }) => !refused.has(pid))
    if (found.length === 0) return [...refused]
    if (clock.now() >= deadline) return [...refused, ...found.map(({ pid }) => pid)]
    for (const { pid } of found) if (processes.signal(pid, 'SIGKILL') === 'refused') refused.add(pid)
    await pause(timers, ms)
  }
}
