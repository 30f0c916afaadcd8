import { isLong, seeds } from '../crash/random/seeds.ts'
import type { Fault } from './faults/fault.ts'
import type { Engine } from './scene.ts'
import { Simulation } from './simulation.ts'
import { firstDifference, type Trace } from './trace.ts'

/** How much of a trace is shown when something is wrong. */
const TAIL = 60

/** Of so many seeds one is played twice. */
const AGAIN_EVERY = isLong ? 1 : 4

/**
 * Plays so many seeds, or as many as it is told to. Some are played twice, all of them where there is time: the second run has to
 * be the same as the first.
 */
export async function playSeeds(
  engine: Engine,
  usually: number,
  onPlayed: (trace: Trace) => void = () => {},
): Promise<number> {
  let played = 0
  for (const seed of seeds(usually)) {
    const trace = await playSeed(engine, seed)
    if (played % AGAIN_EVERY === 0) mustBeSame(trace, await playSeed(engine, seed), command(engine, seed))
    onPlayed(trace)
    played++
  }
  return played
}

function mustBeSame(trace: Trace, again: Trace, command: string): void {
  if (trace.hash === again.hash) return
  throw new Error(`Two runs of one seed differ in ${firstDifference(trace, again)}\n\n${command}`)
}

/** Plays one; when a law is broken, tells how it came to that and how to play it again. */
async function playSeed(engine: Engine, seed: number): Promise<Trace> {
  const simulation = new Simulation(engine, seed)
  try {
    await simulation.play()
  } catch (error) {
    const { trace } = simulation.scene
    const story = `${trace.tail(TAIL)}\n\n${(error as Error).message}\n\n${command(engine, seed)}`
    throw new Error(`Seed ${seed} on ${engine}: ${(error as Error).message}\n\n${story}`, { cause: error })
  }
  return simulation.scene.trace
}

function command(engine: Engine, seed: number): string {
  return `Play it again: WAYBILL_SEED=${seed} WAYBILL_RUNS=1 npx vitest run --project simulation simulation-${engine}`
}

/** The law that a fault breaks with this seed; null when it does not. */
export async function caughtBy(fault: Fault, engine: Engine, seed: number): Promise<string | null> {
  const simulation = new Simulation(engine, seed, fault)
  try {
    await simulation.play()
    return null
  } catch (error) {
    return (error as Error).message
  }
}
