import type { VirtualWorld } from '../../src/testing/virtual-world.ts'

/** Lets time pass until it is done. */
export async function passing<T>(world: VirtualWorld, work: Promise<T>): Promise<T> {
  let isDone = false
  const done = work.finally(() => {
    isDone = true
  })
  done.catch(() => {})
  while (!isDone) await world.advanceBy(1)
  return done
}
