import { idProblem } from '../names.ts'
import { nameProblems, twiceProblems } from './name-problems.ts'
import { POLICIES } from './policy.ts'
import { placesProblems } from './policy-problems.ts'
import { documentProblems } from './stage-document.ts'
import { phasesOf, policyNamed, type Topology, type TopologyStage } from './topology.ts'
import { type Problem, type ProblemPath, problem, quoted } from './topology-problem.ts'

/** What is wrong with one stage, by itself and with what it names. */
export function stageProblems(
  topology: Topology,
  stage: TopologyStage,
  path: ProblemPath,
): readonly Problem[] {
  const { name, queue, service, concurrency, document } = stage
  return [
    ...nameProblems(name, 'The name of a stage', [...path, 'name']),
    ...phaseProblems(topology, stage, path),
    ...dependencyProblems(topology, stage, [...path, 'depends_on']),
    ...namedProblems(topology, stage, path),
    ...(queue === undefined ? [] : idProblems(queue, [...path, 'queue'])),
    ...(service === undefined ? [] : idProblems(service, [...path, 'service'])),
    ...(concurrency === undefined ? [] : placesProblems(concurrency, [...path, 'concurrency'])),
    ...(document === undefined ? [] : documentProblems(document, [...path, 'document'])),
  ]
}

function idProblems(id: string, path: ProblemPath): readonly Problem[] {
  const wrong = idProblem(id)
  return wrong === null ? [] : [problem('BAD_NAME', path, `${path.at(-1)} ${wrong}`)]
}

function phaseProblems(
  topology: Topology,
  { name, phase }: TopologyStage,
  path: ProblemPath,
): readonly Problem[] {
  const known = phasesOf(topology)
  if (known.length === 0) return []
  if (phase === undefined) {
    const message = `Stage ${name} is in no phase, though there are phases: ${known.join(', ')}`
    return [problem('MISSING_PHASE', path, message)]
  }
  if (known.includes(phase)) return []
  const message = `Stage ${name} is in phase ${quoted(phase)}, which is not one of the phases`
  return [problem('UNKNOWN_PHASE', [...path, 'phase'], message, { named: phase, known })]
}

function dependencyProblems(topology: Topology, stage: TopologyStage, path: ProblemPath): readonly Problem[] {
  const { name, depends_on = [] } = stage
  const twice = twiceProblems(
    depends_on,
    (i) => [...path, i],
    (other, where) =>
      problem('DUPLICATE_DEPENDENCY', where, `Stage ${name} depends on ${other} twice; say it once`),
  )
  return [...twice, ...depends_on.flatMap((other, i) => oneDependency(topology, stage, other, [...path, i]))]
}

function oneDependency(
  topology: Topology,
  { name, phase }: TopologyStage,
  other: string,
  path: ProblemPath,
): readonly Problem[] {
  const target = topology.stages.find((stage) => stage.name === other)
  if (target === undefined) {
    const message = `Stage ${name} depends on ${quoted(other)}, and there is no such stage`
    const known = topology.stages.map((stage) => stage.name).filter((known) => known !== name)
    return [problem('UNKNOWN_DEPENDENCY', path, message, { named: other, known })]
  }
  const phases = phasesOf(topology)
  if (phase === undefined || target.phase === undefined) return []
  const own = phases.indexOf(phase)
  if (own < 0 || phases.indexOf(target.phase) <= own) return []
  const message = `Stage ${name} of phase ${phase} depends on stage ${other} of phase ${target.phase}, which comes later`
  return [problem('LATER_PHASE', path, message)]
}

/** Its gate and its policy. */
function namedProblems(
  topology: Topology,
  { name, gate, policy }: TopologyStage,
  path: ProblemPath,
): readonly Problem[] {
  const found: Problem[] = []
  const gates = (topology.gates ?? []).map((known) => known.name)
  if (gate !== undefined && !gates.includes(gate)) {
    const message = `Stage ${name} has the gate ${quoted(gate)}, and there is no such gate`
    found.push(problem('UNKNOWN_GATE', [...path, 'gate'], message, { named: gate, known: gates }))
  }
  if (policy !== undefined && policyNamed(topology, policy) === undefined) {
    const message = `Stage ${name} has the policy ${quoted(policy)}, and there is no such policy`
    const known = [...new Set([...Object.keys(topology.policies ?? {}), ...POLICIES.keys()])]
    found.push(problem('UNKNOWN_POLICY', [...path, 'policy'], message, { named: policy, known }))
  }
  return found
}
