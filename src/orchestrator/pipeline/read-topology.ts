import type { Delivery } from '../../core/job/protocol.ts'
import type { Condition, Gate } from '../../core/pipeline/gate.ts'
import { DEFAULT_POLICY_NAME, POLICIES, type ResiliencePolicy } from '../../core/pipeline/policy.ts'
import { STAGE_MOVES, type StageDocument } from '../../core/pipeline/stage-document.ts'
import type { Topology, TopologyStage } from '../../core/pipeline/topology.ts'
import type { ProblemPath, TopologyProblem } from '../../core/pipeline/topology-problem.ts'
import { topologyProblems } from '../../core/pipeline/topology-problems.ts'
import { isConsequence } from './consequence.ts'
import { readCondition } from './read-condition.ts'
import { laidOver, POLICY_KEYS, readPolicy } from './read-policy.ts'
import { type Fields, type Found, SourceReader } from './source-reader.ts'

export interface ReadTopology {
  /** As far as it could be read: only to be used when there are no problems. */
  readonly topology: Topology
  readonly problems: readonly TopologyProblem[]
}

const STAGE_KEYS = [
  ...['name', 'phase', 'depends_on', 'policy', 'gate', 'queue', 'concurrency', 'document'],
  ...['delivery', 'service', ...POLICY_KEYS],
]

const DELIVERIES: readonly Delivery[] = ['pull', 'push', 'external']

/** Stands for a condition that could not be read, so that the rest can be looked at. */
const UNREAD: Condition = { field: 'entry.status', op: 'exists' }

/** A topology as somebody wrote it, or as data already, with everything that is wrong with it. */
export function topologyFrom(source: unknown): ReadTopology {
  const reader = new SourceReader()
  const reading = new TopologyReading(reader)
  const topology = reading.read({ value: source, path: [] })
  const own = reader.problems.map((found) => ({ ...found, ...stageAt(source, found.path) }))
  const rules = topologyProblems(topology).map((found) => reading.asWritten(found))
  return { topology, problems: [...own, ...rules.filter((found) => !isConsequence(own, found))] }
}

class TopologyReading {
  readonly #reader: SourceReader
  readonly #policies = new Map<string, ResiliencePolicy>()
  /** Policies that were made of what a stage says itself, and the place of the stage. */
  readonly #ofStages = new Map<string, number>()
  #names: readonly string[] = []

  constructor(reader: SourceReader) {
    this.#reader = reader
  }

  read(found: Found): Topology {
    const keys = ['name', 'version', 'policies', 'gates', 'phases', 'stages']
    const fields = this.#reader.fields(found, 'A topology', keys)
    if (fields === undefined) return { name: '', version: '', stages: [] }
    const policies = fields.optional('policies')
    if (policies !== undefined) {
      for (const [name, policy] of this.#reader.entries(policies, 'policies'))
        this.#policies.set(name, readPolicy(this.#reader, policy))
    }
    const gates = fields.optional('gates')
    const phases = fields.optional('phases')
    const stages = fields.required('stages')
    const read = {
      name: this.#text(fields.required('name')) ?? '',
      version: this.#text(fields.required('version')) ?? '',
      ...(gates && { gates: this.#list(gates, (gate) => this.#gate(gate)) }),
      ...(phases && { phases: this.#list(phases, (phase) => this.#text(phase) ?? '') }),
      stages: stages === undefined ? [] : this.#list(stages, (stage) => this.#stage(stage)),
    }
    this.#names = read.stages.map(({ name }) => name)
    return this.#policies.size === 0 ? read : { ...read, policies: Object.fromEntries(this.#policies) }
  }

  /** A problem of a policy that a stage made by itself is a problem of the stage. */
  asWritten(found: TopologyProblem): TopologyProblem {
    const [list, name, ...rest] = found.path
    const index = list === 'policies' ? this.#ofStages.get(String(name)) : undefined
    if (index === undefined) return found
    return { ...found, path: ['stages', index, ...rest], stage: this.#names[index] as string }
  }

  #gate(found: Found): Gate {
    const fields = this.#reader.fields(found, 'A gate', ['name', 'when', 'timeout', 'timeout_ms', 'resume'])
    if (fields === undefined) return { name: '', when: UNREAD }
    const when = fields.required('when')
    const timeout = fields.optional('timeout', 'timeout_ms')
    const timeout_ms = timeout && this.#reader.duration(timeout)
    const resume = this.#text(fields.optional('resume'))
    return {
      name: this.#text(fields.required('name')) ?? '',
      when: (when && readCondition(this.#reader, when)) ?? UNREAD,
      ...(timeout_ms !== undefined && { timeout_ms }),
      ...(resume !== undefined && { resume }),
    }
  }

  #stage(found: Found): TopologyStage {
    const fields = this.#reader.fields(found, 'A stage', STAGE_KEYS)
    if (fields === undefined) return { name: '' }
    const name = this.#text(fields.required('name')) ?? ''
    const depends_on = fields.optional('depends_on')
    const concurrency = fields.optional('concurrency')
    const delivery = fields.optional('delivery')
    const document = fields.optional('document')
    const policy = this.#policyOf(fields, name, found.path[1] as number)
    const read: { -readonly [K in keyof TopologyStage]: TopologyStage[K] | undefined } = {
      name,
      phase: this.#text(fields.optional('phase')),
      depends_on: depends_on && this.#list(depends_on, (other) => this.#text(other) ?? ''),
      policy,
      gate: this.#text(fields.optional('gate')),
      queue: this.#text(fields.optional('queue')),
      concurrency: concurrency && this.#reader.number(concurrency),
      document: document && this.#document(document),
      delivery: delivery && this.#reader.oneOf(delivery, DELIVERIES),
      service: this.#text(fields.optional('service')),
    }
    return withoutAbsent(read) as TopologyStage
  }

  /** The name of its policy: of one of its own, where it says something itself. */
  #policyOf(fields: Fields, stage: string, index: number): string | undefined {
    const named = this.#text(fields.optional('policy'))
    if (!POLICY_KEYS.some((key) => fields.has(key))) return named
    const base = named ?? DEFAULT_POLICY_NAME
    const given = this.#policies.get(base) ?? POLICIES.get(base)
    const policy = laidOver(
      this.#reader,
      given ?? (POLICIES.get(DEFAULT_POLICY_NAME) as ResiliencePolicy),
      fields,
    )
    // That there is no such policy is said by the rules.
    if (given === undefined) return named
    const own = `${base}.${stage}`
    if (this.#policies.has(own)) {
      const message = `Stage ${stage} has a policy of its own, which is called ${own}, as another one is`
      this.#reader.note('DUPLICATE_POLICY', fields.path, message)
      return named
    }
    this.#policies.set(own, policy)
    this.#ofStages.set(own, index)
    return own
  }

  #document(found: Found): StageDocument | undefined {
    const fields = this.#reader.fields(found, 'document', STAGE_MOVES)
    if (fields === undefined) return undefined
    const moves = STAGE_MOVES.map((move) => [move, this.#text(fields.optional(move))])
    return withoutAbsent(Object.fromEntries(moves)) as StageDocument
  }

  #text(found: Found | undefined): string | undefined {
    return found && this.#reader.text(found)
  }

  #list<T>(found: Found, read: (item: Found) => T): readonly T[] {
    return (this.#reader.list(found) ?? []).map(read)
  }
}

/** The stage that a place of a source is in, by its name. */
export function stageAt(source: unknown, [list, index]: ProblemPath): { readonly stage?: string } {
  if (list !== 'stages' || typeof index !== 'number') return {}
  const stages = (source as { readonly stages?: readonly unknown[] }).stages
  const { name } = (stages?.[index] ?? {}) as { readonly name?: unknown }
  return typeof name === 'string' && name !== '' ? { stage: name } : {}
}

function withoutAbsent(object: { readonly [key: string]: unknown }): object {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined))
}
