// All rounds: in each of them every workload, in each of these every system, one after the other.
import type { System, WorkloadName } from './catalogue.ts'
import { Results } from './results.ts'
import { runMeasurement } from './run-measurement.ts'
import type { Places, TakenPlace } from './servers/places.ts'
import type { Sizes } from './workloads.ts'

export interface Plan {
  readonly systems: readonly System[]
  readonly workloads: readonly WorkloadName[]
  readonly rounds: number
  readonly sizes: Sizes
  readonly historyJobs: number
}

export interface Watcher {
  begin(total: number): void
  /** Comes every minute or so. */
  stage(what: string): void
  doing(what: string): void
}

/** Making a history takes longer than a measurement. */
const HISTORY_TIMEOUT_MS = 600_000

export async function runRounds(plan: Plan, places: Places, watcher: Watcher): Promise<Results> {
  const results = new Results()
  const isMeasured = (system: System, workload: WorkloadName) => system.leftOut[workload] === undefined
  const pairs = plan.workloads.flatMap((workload) => plan.systems.filter((one) => isMeasured(one, workload)))
  const starting = plan.workloads.includes('startup')
    ? plan.systems.filter((one) => isMeasured(one, 'startup'))
    : []
  watcher.begin(pairs.length * plan.rounds + starting.length)
  const histories = await makeHistories(plan, starting, places, results, watcher)
  for (let round = 1; round <= plan.rounds; round++) {
    for (const workload of plan.workloads) {
      watcher.stage(`round ${round} of ${plan.rounds}: ${workload}`)
      const systems = plan.systems.filter((one) => isMeasured(one, workload))
      // In turned order every other time: nobody always comes after the same one.
      for (const system of round % 2 === 1 ? systems : systems.toReversed()) {
        watcher.doing(`round ${round} of ${plan.rounds}: ${workload}, ${system.title}`)
        await measure(plan, system, workload, places, histories, results)
      }
    }
  }
  for (const taken of histories.values()) await taken.free()
  return results
}

async function measure(
  { sizes }: Plan,
  system: System,
  workload: WorkloadName,
  places: Places,
  histories: ReadonlyMap<string, TakenPlace>,
  results: Results,
): Promise<void> {
  if (results.error(system.name, workload) !== null) return
  const kept = workload === 'startup' ? histories.get(system.name) : undefined
  const taken = kept ?? (await places.take(system))
  try {
    const task = { system: system.name, workload, place: taken.place, sizes: sizesOf(sizes, system) }
    results.add(system.name, workload, await runMeasurement(task))
  } catch (error) {
    results.fail(system.name, workload, (error as Error).message)
  } finally {
    if (kept === undefined) await taken.free()
  }
}

/** What was done long ago, for the start: made once, opened in every round. */
async function makeHistories(
  { sizes, historyJobs }: Plan,
  systems: readonly System[],
  places: Places,
  results: Results,
  watcher: Watcher,
): Promise<ReadonlyMap<string, TakenPlace>> {
  const histories = new Map<string, TakenPlace>()
  if (systems.length > 0) watcher.stage(`histories of ${historyJobs} jobs`)
  for (const system of systems) {
    watcher.doing(`history of ${historyJobs} jobs, ${system.title}`)
    const taken = await places.take(system)
    histories.set(system.name, taken)
    const place = { ...taken.place, isHistory: true }
    const whole = { ...sizesOf(sizes, system), maxJobs: historyJobs }
    const task = { system: system.name, workload: 'history', place, sizes: whole }
    try {
      await runMeasurement(task, HISTORY_TIMEOUT_MS)
    } catch (error) {
      results.fail(system.name, 'startup', `its history could not be made: ${(error as Error).message}`)
    }
  }
  return histories
}

function sizesOf(sizes: Sizes, { leastJobsTimes = 1 }: System): Sizes {
  return { ...sizes, leastJobs: sizes.leastJobs * leastJobsTimes }
}
