import { gateProblems } from './gate-problems.ts'
import { nameProblems, twiceProblems } from './name-problems.ts'
import { policyProblems } from './policy-problems.ts'
import { cyclesOf, orderedStages } from './stage-order.ts'
import { stageProblems } from './stage-problems.ts'
import type { Topology, TopologyStage } from './topology.ts'
import { type Problem, type ProblemCode, problem, quoted, type TopologyProblem } from './topology-problem.ts'

/** Most stages of one pipeline: a job has a step for each. */
const MOST_STAGES = 100

/** Most gates, policies and phases. */
const MOST_OTHERS = 100

/** With one of these, nobody can say which stage is later. */
const UNORDERED: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'DUPLICATE_STAGE',
  'UNKNOWN_DEPENDENCY',
  'CYCLE',
  'UNKNOWN_PHASE',
  'MISSING_PHASE',
  'LATER_PHASE',
])

/** Everything that is wrong with a topology; nothing if it can be run. */
export function topologyProblems(topology: Topology): readonly TopologyProblem[] {
  const counts = countProblems(topology)
  // The rest compares all of them with each other.
  if (counts.length > 0) return counts
  const ofStages = [...allStages(topology), ...cycleProblems(topology.stages)]
  const isOrdered = !ofStages.some(({ code }) => UNORDERED.has(code))
  return [
    ...ownProblems(topology),
    ...ofStages,
    ...gateUseProblems(topology),
    ...(isOrdered ? resumeProblems(topology) : []),
  ]
}

function countProblems({ stages, gates = [], phases = [], policies = {} }: Topology): readonly Problem[] {
  if (stages.length === 0) return [problem('NO_STAGES', ['stages'], 'There is no stage; a pipeline has one')]
  const counted = [
    ['stages', stages.length, MOST_STAGES],
    ['gates', gates.length, MOST_OTHERS],
    ['phases', phases.length, MOST_OTHERS],
    ['policies', Object.keys(policies).length, MOST_OTHERS],
  ] as const
  return counted.flatMap(([what, count, most]) =>
    count <= most ? [] : [problem('TOO_MANY', [what], `There are ${count} ${what}; ${most} are the most`)],
  )
}

/** Of everything but the stages. */
function ownProblems({
  name,
  version,
  phases = [],
  policies = {},
  gates = [],
}: Topology): readonly Problem[] {
  return [
    ...nameProblems(name, 'The name', ['name']),
    ...nameProblems(version, 'The version', ['version']),
    ...phases.flatMap((phase, i) => nameProblems(phase, 'The name of a phase', ['phases', i])),
    ...twiceProblems(
      phases,
      (i) => ['phases', i],
      (phase, path) => problem('DUPLICATE_PHASE', path, `Phase ${phase} is there twice`),
    ),
    ...Object.entries(policies).flatMap(([policy, given]) => [
      ...nameProblems(policy, 'The name of a policy', ['policies', policy]),
      ...policyProblems(given, ['policies', policy]),
    ]),
    ...gates.flatMap((gate, i) => [
      ...nameProblems(gate.name, 'The name of a gate', ['gates', i, 'name']),
      ...gateProblems(gate, ['gates', i]),
    ]),
    ...twiceProblems(
      gates.map((gate) => gate.name),
      (i) => ['gates', i, 'name'],
      (gate, path) => problem('DUPLICATE_GATE', path, `Gate ${gate} is there twice`),
    ),
  ]
}

function allStages(topology: Topology): readonly TopologyProblem[] {
  const names = topology.stages.map(({ name }) => name)
  const twice = twiceProblems(
    names,
    (i) => ['stages', i, 'name'],
    (name, path) => problem('DUPLICATE_STAGE', path, `Stage ${quoted(name)} is there twice`),
  )
  const each = topology.stages.flatMap((stage, i) => stageProblems(topology, stage, ['stages', i]))
  return [...each, ...twice].map((found) => ({ ...found, stage: names[found.path[1] as number] as string }))
}

function cycleProblems(stages: readonly TopologyStage[]): readonly TopologyProblem[] {
  return cyclesOf(stages).map((cycle) => {
    const [name, next] = cycle as [string, string]
    const index = stages.findIndex((stage) => stage.name === name)
    const { depends_on = [] } = stages[index] as TopologyStage
    const path = ['stages', index, 'depends_on', depends_on.indexOf(next)]
    const message =
      name === next
        ? `Stage ${name} waits for itself: ${cycle.join(' → ')}`
        : `Stages wait for each other: ${cycle.join(' → ')}`
    return { ...problem('CYCLE', path, message), stage: name }
  })
}

function gateUseProblems({ gates = [], stages }: Topology): readonly Problem[] {
  const names = stages.map(({ name }) => name)
  return gates.flatMap(({ name, resume }, i) => {
    const found: Problem[] = []
    if (!stages.some(({ gate }) => gate === name)) {
      found.push(problem('UNUSED_GATE', ['gates', i], `No stage has the gate ${name}`))
    }
    if (resume !== undefined && !names.includes(resume)) {
      const message = `Gate ${name} resumes at ${quoted(resume)}, and there is no such stage`
      found.push(problem('UNKNOWN_RESUME', ['gates', i, 'resume'], message, { named: resume, known: names }))
    }
    return found
  })
}

/** A job goes on, never back. */
function resumeProblems(topology: Topology): readonly TopologyProblem[] {
  const order = orderedStages(topology).map(({ name }) => name)
  return (topology.gates ?? []).flatMap(({ name, resume }, i) => {
    const at = order.indexOf(resume ?? '')
    if (at < 0) return []
    return topology.stages
      .filter((stage) => stage.gate === name && order.indexOf(stage.name) > at)
      .map((stage) => {
        const message = `Gate ${name} holds stage ${stage.name} and resumes at stage ${resume}, which comes before it`
        return { ...problem('RESUME_NOT_LATER', ['gates', i, 'resume'], message), stage: stage.name }
      })
  })
}
