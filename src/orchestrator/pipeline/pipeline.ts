import type { Protocol } from '../../core/job/protocol.ts'
import type { Json } from '../../core/json.ts'
import { policyNamed, type Topology, type TopologyStage } from '../../core/pipeline/topology.ts'
import { problem, type TopologyProblem } from '../../core/pipeline/topology-problem.ts'
import { protocolOf, queueOf } from '../../core/pipeline/topology-protocol.ts'
import { frozenJson } from '../../ledger/check-input.ts'
import type { Handler, Handlers, StepWork } from '../../runtime/handler.ts'
import { type Clock, systemClock } from '../../world/clock.ts'
import { guarded } from './guarded-handler.ts'
import { topologyFrom } from './read-topology.ts'
import { invalidTopology } from './told-problems.ts'
import type { GateSource, PolicySource, StageSource, TopologySource } from './topology-source.ts'

export interface StageOptions extends Omit<StageSource, 'name' | 'depends_on'> {
  readonly dependsOn?: readonly string[]
}

export type GateOptions = Omit<GateSource, 'name'>

/** A stage that workers of this process do not run: a service does, or another scheduler. */
export type RemoteStageOptions = StageOptions & { readonly delivery: 'push' | 'external' }

/** A function, and the stage that it does. */
interface Bound {
  readonly stage: string
  readonly handler: unknown
}

interface Checked {
  readonly topology: Topology
  readonly protocol: Protocol
}

/** Does a stage; `input` is what jobs of the pipeline are given. */
export type StageHandler<Input> = (work: Omit<StepWork, 'input'> & { readonly input: Input }) => unknown

/**
 * Begins a pipeline. Each call answers with a new one, and leaves the one it was called on as it was.
 *
 * ```ts
 * const pdf = pipeline<{ url: string }>('pdf', 'v1').stage('download', async ({ input }) => fetch(input.url))
 * ```
 */
export function pipeline<Input = Json>(name: string, version: string): Pipeline<Input> {
  return new Pipeline<Input>({ name, version, stages: [] }, [])
}

/**
 * A pipeline from a topology, as data or as people write it, and the functions that do its stages, by their names. Throws
 * at once if they do not fit together.
 */
export function pipelineFrom<Input = Json>(
  topology: Topology | TopologySource,
  handlers: { readonly [stage: string]: StageHandler<Input> },
): Pipeline<Input> {
  const bound = Object.entries(handlers).map(([stage, handler]) => ({ stage, handler }))
  const made = new Pipeline<Input>(topology as TopologySource, bound)
  made.check()
  return made
}

/** Stages, what holds, repeats and bounds them, and the functions that do them. */
export class Pipeline<Input = Json> {
  readonly #source: TopologySource
  readonly #bound: readonly Bound[]
  readonly #handlers = new WeakMap<Clock, Handlers>()
  #checked: Checked | null = null

  constructor(source: TopologySource, bound: readonly Bound[]) {
    this.#source = source
    this.#bound = bound
  }

  get name(): string {
    return this.#source.name
  }

  get version(): string {
    return this.#source.version
  }

  /** Names the phases, in their order. */
  phases(...names: readonly string[]): Pipeline<Input> {
    return this.#with({ phases: names })
  }

  policy(name: string, policy: PolicySource): Pipeline<Input> {
    const { policies = {} } = this.#source
    if (Object.hasOwn(policies, name)) {
      throw this.#invalid([problem('DUPLICATE_POLICY', ['policies', name], `Policy ${name} is there twice`)])
    }
    // Not by a plain assignment: some names would reach behind the object, and are refused by name later.
    return this.#with({ policies: Object.fromEntries([...Object.entries(policies), [name, policy]]) })
  }

  gate(name: string, gate: GateOptions): Pipeline<Input> {
    return this.#with({ gates: [...(this.#source.gates ?? []), { ...gate, name }] })
  }

  stage(name: string, handler: StageHandler<Input>): Pipeline<Input>
  stage(name: string, options: StageOptions, handler: StageHandler<Input>): Pipeline<Input>
  stage(name: string, options: RemoteStageOptions): Pipeline<Input>
  stage(
    name: string,
    given: StageOptions | StageHandler<Input>,
    last?: StageHandler<Input>,
  ): Pipeline<Input> {
    const [options, handler] = typeof given === 'function' ? [{}, given] : [given, last]
    const { dependsOn, ...rest } = options as StageOptions
    const stage: StageSource = {
      ...rest,
      name,
      ...(dependsOn === undefined ? {} : { depends_on: dependsOn }),
    }
    const bound = handler === undefined ? this.#bound : [...this.#bound, { stage: name, handler }]
    return new Pipeline<Input>({ ...this.#source, stages: [...this.#source.stages, stage] }, bound)
  }

  /** The pipeline as data. */
  get topology(): Topology {
    return this.check().topology
  }

  /** How its jobs are answered: a step for each stage. */
  get protocol(): Protocol {
    return this.check().protocol
  }

  /** Who does what, for workers of this process: a handler for each queue. */
  get handlers(): Handlers {
    return this.handlersFor(systemClock)
  }

  /** The same by another clock. Asked twice they are the same ones: all workers share the breakers. */
  handlersFor(clock: Clock): Handlers {
    const made = this.#handlers.get(clock) ?? this.#makeHandlers(clock)
    this.#handlers.set(clock, made)
    return made
  }

  /** Throws everything that is wrong with it, if anything is. */
  check(): Checked {
    if (this.#checked !== null) return this.#checked
    const { topology, problems } = topologyFrom(this.#source)
    const all = [...problems, ...handlerProblems(topology.stages, this.#bound)]
    if (all.length > 0) throw this.#invalid(all)
    const frozen = frozenJson('topology', topology) as unknown as Topology
    this.#checked = {
      topology: frozen,
      protocol: frozenJson('protocol', protocolOf(frozen)) as unknown as Protocol,
    }
    return this.#checked
  }

  #with(part: Partial<TopologySource>): Pipeline<Input> {
    return new Pipeline<Input>({ ...this.#source, ...part }, this.#bound)
  }

  #invalid(problems: readonly TopologyProblem[]) {
    const { name } = this.#source
    return invalidTopology(problems, { name: typeof name === 'string' ? name : undefined })
  }

  #makeHandlers(clock: Clock): Handlers {
    const { topology } = this.check()
    const queues = new Map<string, Map<string, Handler>>()
    for (const { stage, handler } of this.#bound) {
      const it = topology.stages.find(({ name }) => name === stage) as TopologyStage
      const queue = queueOf(topology, it)
      const ofQueue = queues.get(queue) ?? new Map<string, Handler>()
      queues.set(queue, ofQueue.set(stage, guardedBy(topology, it, handler as Handler, clock)))
    }
    return Object.fromEntries([...queues].map(([queue, ofQueue]) => [queue, handlerOf(queue, ofQueue)]))
  }
}

function guardedBy(topology: Topology, stage: TopologyStage, handler: Handler, clock: Clock): Handler {
  const policy = policyNamed(topology, stage.policy)
  if (policy?.breaker === undefined) return handler
  const { breaker, timeout_ms } = policy
  // A trial may take as long as any attempt.
  return guarded(handler, { ...breaker, trial_ms: Math.max(breaker.recovery_ms, timeout_ms) }, clock)
}

/** Stages may share a queue; each still has its own function. */
function handlerOf(queue: string, stages: ReadonlyMap<string, Handler>): Handler {
  const [only] = stages.values()
  if (stages.size === 1) return only as Handler
  return (work: StepWork) => {
    const handler = stages.get(work.step.step_id)
    if (handler === undefined) {
      throw new Error(`The queue ${queue} has a step ${work.step.step_id}, which this pipeline does not do`)
    }
    return handler(work)
  }
}

/** Functions and the stages that workers run are the same ones. */
function handlerProblems(
  stages: readonly TopologyStage[],
  bound: readonly Bound[],
): readonly TopologyProblem[] {
  const names = stages.map(({ name }) => name)
  const missing = stages.flatMap(({ name, delivery = 'pull' }, i) => {
    if (delivery !== 'pull' || name === '' || bound.some(({ stage }) => stage === name)) return []
    return [{ ...problem('MISSING_HANDLER', ['stages', i], `Stage ${name} has no function`), stage: name }]
  })
  return [...missing, ...bound.flatMap((one) => boundProblems(one, names, stages))]
}

function boundProblems(
  { stage, handler }: Bound,
  names: readonly string[],
  stages: readonly TopologyStage[],
): readonly TopologyProblem[] {
  const index = names.indexOf(stage)
  if (index < 0) {
    const message = `There is a function for the stage ${stage}, and no such stage`
    return [problem('UNKNOWN_HANDLER', ['stages'], message, { named: stage, known: names })]
  }
  if (typeof handler !== 'function') {
    const message = `What is to do stage ${stage} is not a function`
    return [{ ...problem('MISSING_HANDLER', ['stages', index], message), stage }]
  }
  const { delivery = 'pull' } = stages[index] as TopologyStage
  if (delivery === 'pull') return []
  const message = `Stage ${stage} is delivered by ${delivery}: no worker would call its function`
  return [{ ...problem('USELESS_HANDLER', ['stages', index], message), stage }]
}
