import { must } from '../must.ts'
import { phasesOf, type Topology, type TopologyStage } from './topology.ts'

/**
 * The order in which stages run: after what they depend on, phases in theirs, and else as they were written. Only for a
 * topology that has no problems.
 */
export function orderedStages(topology: Topology): readonly TopologyStage[] {
  const phases = phasesOf(topology)
  const phaseOf = ({ phase }: TopologyStage) => (phase === undefined ? -1 : phases.indexOf(phase))
  const waiting = topology.stages.toSorted((a, b) => phaseOf(a) - phaseOf(b))
  const done = new Set<string>()
  const ordered: TopologyStage[] = []
  while (waiting.length > 0) {
    const next = waiting.findIndex(({ depends_on = [] }) => depends_on.every((name) => done.has(name)))
    must(next >= 0, 'stages do not wait for each other')
    const [stage] = waiting.splice(next, 1) as [TopologyStage]
    done.add(stage.name)
    ordered.push(stage)
  }
  return ordered
}

/**
 * Circles of stages that wait for each other, each as the names along it, the first once more at its end. One for
 * every dependency that closes a circle when stages are gone through in the order written.
 */
export function cyclesOf(stages: readonly TopologyStage[]): readonly (readonly string[])[] {
  // Of two with one name, the first is meant.
  const byName = new Map(stages.toReversed().map((stage) => [stage.name, stage]))
  const cycles: (readonly string[])[] = []
  const finished = new Set<string>()
  const visit = (stage: TopologyStage, trail: readonly string[]) => {
    if (finished.has(stage.name)) return
    const here = [...trail, stage.name]
    for (const name of new Set(stage.depends_on)) {
      const start = here.indexOf(name)
      if (start >= 0) cycles.push([...here.slice(start), name])
      else if (byName.has(name)) visit(byName.get(name) as TopologyStage, here)
    }
    finished.add(stage.name)
  }
  for (const stage of stages) visit(stage, [])
  return cycles
}
