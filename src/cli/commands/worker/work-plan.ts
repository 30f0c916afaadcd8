// What a worker is to do: the queues of its module, those of pipelines, and those of tools. All of it is known, and what does
// not fit together refused, before the ledger is opened.
import type { Protocol } from '../../../core/job/protocol.ts'
import { queueOfTool, TOOL } from '../../../core/job/tool-service.ts'
import { InvalidInput } from '../../../errors/input-errors.ts'
import type { Adapter } from '../../../orchestrator/tools/adapter.ts'
import type { Publishers } from '../../../runtime/dispatcher.ts'
import type { Handler, Handlers } from '../../../runtime/handler.ts'
import type { LiveLedger, Workable } from '../../../runtime/live-ledger.ts'
import { systemClock } from '../../../world/clock.ts'
import type { Session } from '../../session.ts'
import type { WorkerModule } from './load-module.ts'

export interface PlanOptions {
  readonly queue?: readonly string[] | undefined
  /** Names of tools, true for all of them, false for none; undefined leaves it to what else there is. */
  readonly tools?: string | boolean | undefined
  readonly topology?: string | undefined
}

export interface WorkPlan {
  readonly handlers: Handlers
  readonly publishers: Publishers
  readonly protocols: readonly Protocol[]
  /** Tools that are run, and the adapters of the user's own. */
  readonly tools: readonly string[]
  readonly adapters: readonly Adapter[]
}

export async function planOf(
  module: WorkerModule | null,
  own: readonly Adapter[],
  options: PlanOptions,
): Promise<WorkPlan> {
  const pipelines = [...(module?.pipelines ?? []), ...(await fromTopology(module, options.topology))]
  const adapters = [...own, ...(module?.adapters ?? [])]
  const plan: WorkPlan = {
    handlers: handlersOf(module, pipelines),
    publishers: module?.publishers ?? {},
    protocols: [...(module?.protocols ?? []), ...pipelines.map(({ protocol }) => protocol)],
    tools: await toolsOf(module, adapters, options),
    adapters,
  }
  return options.queue === undefined ? plan : onlyQueues(plan, options.queue, module?.file ?? null)
}

/** With the tools, which need the ledger. The handlers alone must not be what a promise resolves to: a queue may be named `then`. */
export async function withTools(session: Session, ledger: LiveLedger, plan: WorkPlan): Promise<WorkPlan> {
  const { handlers, tools, adapters } = plan
  if (tools.length === 0) return plan
  const { JobStateStore, Orchestrator } = await session.library()
  const orchestrator = new Orchestrator({ store: new JobStateStore(ledger), adapters })
  const wanted = new Set(tools.map(queueOfTool))
  const all = Object.entries(await orchestrator.handlers()).filter(([queue]) => wanted.has(queue))
  return { ...plan, handlers: { ...Object.fromEntries(all), ...handlers } }
}

async function fromTopology(
  module: WorkerModule | null,
  file: string | undefined,
): Promise<readonly Workable[]> {
  if (file === undefined) return []
  const { stages } = module ?? { stages: null }
  if (stages === null) {
    const who = module === null ? 'there is no module' : `${module.file} exports no stages`
    const next =
      'Give a module that exports a function for each stage: stages = { download: async (work) => … }.'
    throw new InvalidInput('topology', `Nobody says how the stages of ${file} are done: ${who}`, next)
  }
  const { pipelineFrom } = await import('../../../orchestrator/pipeline/pipeline.ts')
  const { readTopology } = await import('../../../orchestrator/pipeline/topology-file.ts')
  const { realWorld } = await import('../../../world/world.ts')
  return [pipelineFrom<never>(await readTopology(file, realWorld.disk), stages)]
}

function handlersOf(module: WorkerModule | null, pipelines: readonly Workable[]): Handlers {
  const all = new Map<string, Handler>(Object.entries(module?.handlers ?? {}))
  for (const pipeline of pipelines) {
    for (const [queue, handler] of Object.entries(pipeline.handlersFor(systemClock))) {
      if (all.has(queue)) {
        const next = 'Give the stage a queue of its own.'
        throw new InvalidInput('pipelines', `The queue ${queue} is there twice`, next)
      }
      all.set(queue, handler)
    }
  }
  return Object.fromEntries(all)
}

async function toolsOf(
  module: WorkerModule | null,
  adapters: readonly Adapter[],
  { tools, queue = [], topology }: PlanOptions,
): Promise<readonly string[]> {
  if (tools === false) return []
  const isNamed = queue.some((name) => name.startsWith(TOOL))
  const isDefault = (module === null && topology === undefined) || adapters.length > 0
  if (tools === undefined && !isNamed && !isDefault) return []
  const { AdapterRegistry } = await import('../../../orchestrator/tools/adapter-registry.ts')
  const registry = new AdapterRegistry(adapters)
  if (typeof tools !== 'string') return registry.tools
  const names = tools.split(',').map((name) => name.trim())
  return [...new Set(names.map((name) => checkTool(name, registry)))]
}

function checkTool(name: string, registry: { adapterFor(tool: string): Adapter }): string {
  if (/\.[cm]?[jt]s$/.test(name)) {
    const next = `Put the module first: waybill worker ${name} --tools`
    throw new InvalidInput('tools', `--tools ${JSON.stringify(name)} is a module, not a tool`, next)
  }
  return registry.adapterFor(name).tool
}

/** Only these queues, of which each has to be known. */
function onlyQueues(plan: WorkPlan, queues: readonly string[], file: string | null): WorkPlan {
  const { handlers, publishers, tools } = plan
  const known = [
    ...new Set([...Object.keys(handlers), ...Object.keys(publishers), ...tools.map(queueOfTool)]),
  ]
  for (const queue of queues) {
    if (known.includes(queue)) continue
    if (file === null) throw nobodyDoes(queue)
    const message = `${file} has no handler or publisher for the queue ${JSON.stringify(queue)}`
    throw new InvalidInput('queue', message, `It has some for: ${known.join(', ') || 'none'}.`)
  }
  const only = <T>(all: { readonly [queue: string]: T }) =>
    Object.fromEntries(Object.entries(all).filter(([queue]) => queues.includes(queue)))
  return {
    ...plan,
    handlers: only(handlers),
    publishers: only(publishers),
    tools: tools.filter((tool) => queues.includes(queueOfTool(tool))),
  }
}

function nobodyDoes(queue: string): InvalidInput {
  return new InvalidInput(
    'module',
    `Nobody says how work of the queue ${JSON.stringify(queue)} is done: there is no module`,
    'Give one that exports handlers or publishers, as in: waybill worker worker.ts; or name it waybill.worker.ts.',
  )
}
