import type { Limit, Protocol, ProtocolStep } from '../job/protocol.ts'
import { present } from '../must.ts'
import { orderedStages } from './stage-order.ts'
import { policyNamed, type Topology, type TopologyStage } from './topology.ts'

/** The protocol that runs a topology: a step for each stage. Only for a topology that has no problems. */
export function protocolOf(topology: Topology): Protocol {
  return {
    protocol_id: `${topology.name}@${topology.version}`,
    request_type: topology.name,
    steps: orderedStages(topology).map((stage) => stepOf(topology, stage)),
    pipeline: { name: topology.name, version: topology.version },
  }
}

/** Where workers look for a stage. */
export function queueOf({ name }: Topology, stage: TopologyStage): string {
  return stage.queue ?? stage.service ?? `${name}/${stage.name}`
}

function stepOf(topology: Topology, stage: TopologyStage): ProtocolStep {
  const own = `${topology.name}/${stage.name}`
  const { max_attempts, timeout_ms, backoff, breaker, rate } = present(
    policyNamed(topology, stage.policy),
    'a stage has a policy that there is',
  )
  const limits: Limit[] = []
  if (stage.concurrency !== undefined) limits.push({ key: own, max: stage.concurrency })
  // Attempts at once and attempts within a while are counted apart, though both go by the stage's name.
  if (rate !== undefined) limits.push({ key: own, ...rate })
  const gate = topology.gates?.find(({ name }) => name === stage.gate)
  return {
    step_id: stage.name,
    step_type: stage.name,
    service: stage.service ?? own,
    delivery: stage.delivery ?? 'pull',
    queue: queueOf(topology, stage),
    ...(limits.length === 0 ? {} : { limits }),
    policy: { max_attempts, timeout_ms, backoff },
    ...(gate === undefined ? {} : { gate }),
    ...(stage.document === undefined ? {} : { document: stage.document }),
    ...(breaker === undefined ? {} : { breaker }),
  }
}
