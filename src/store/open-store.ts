import { UnknownEngine } from '../errors/input-errors.ts'
import type { World } from '../world/world.ts'
import type { Store } from './store.ts'

interface Engine {
  /** What to write to get it, for the message that lists the engines. */
  readonly example: string
  readonly opens: (url: string) => boolean
  readonly open: (url: string, world: World) => Promise<Store>
}

/** Engines are loaded when they are first used: nobody waits for a driver that they do not need. */
const ENGINES: readonly Engine[] = [
  {
    example: 'memory:',
    opens: (url) => url === 'memory:',
    open: async (_url, world) => new (await import('./memory/memory-store.ts')).MemoryStore(world),
  },
]

export async function openStore(url: string, world: World): Promise<Store> {
  const engine = ENGINES.find((candidate) => typeof url === 'string' && candidate.opens(url))
  if (engine === undefined) {
    throw new UnknownEngine(
      String(url),
      ENGINES.map(({ example }) => example),
    )
  }
  return engine.open(url, world)
}
