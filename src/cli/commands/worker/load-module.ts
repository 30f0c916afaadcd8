import type { Protocol } from '../../../core/job/protocol.ts'
import { InvalidInput } from '../../../errors/input-errors.ts'
import type { StageHandler } from '../../../orchestrator/pipeline/pipeline.ts'
import type { Adapter } from '../../../orchestrator/tools/adapter.ts'
import type { Publishers } from '../../../runtime/dispatcher.ts'
import type { Handlers } from '../../../runtime/handler.ts'
import type { Workable } from '../../../runtime/live-ledger.ts'
import { isThere } from '../../../world/is-there.ts'
import { isObject, loadModule } from '../../input/load-module.ts'
import { checkAdapters } from '../../options/adapters.ts'

/** What a worker is made of. */
export interface WorkerModule {
  readonly file: string
  readonly handlers: Handlers
  readonly publishers: Publishers
  readonly protocols: readonly Protocol[]
  readonly pipelines: readonly Workable[]
  /** Null when it exports none. */
  readonly adapters: readonly Adapter[] | null
  /** Functions for the stages of a topology that is in a file. */
  readonly stages: { readonly [stage: string]: StageHandler<never> } | null
}

/** Loaded when nobody names another, if it is there. */
const DEFAULT_FILES = ['waybill.worker.ts', 'waybill.worker.js', 'waybill.worker.mjs']

const EXPORTS = ['handlers', 'publishers', 'protocols', 'pipelines', 'adapters', 'stages'] as const

const SHAPE =
  'Export handlers ({ queue: function }), publishers ({ service: { publish } }), protocols ([protocol]), ' +
  'pipelines ([pipeline]), adapters ([adapter]) or, for --topology, stages ({ stage: function }).'

/** The module named, or the default one; null when there is neither. */
export async function loadWorkerModule(named: string | undefined): Promise<WorkerModule | null> {
  const file = named ?? (await defaultFile())
  if (file === null) return null
  return checkModule(file, await loadModule(file, EXPORTS, `Give a module: worker.ts, say. ${SHAPE}`))
}

async function defaultFile(): Promise<string | null> {
  const { realWorld } = await import('../../../world/world.ts')
  for (const name of DEFAULT_FILES) if (await isThere(realWorld.disk, name)) return name
  return null
}

type Exported = { readonly [name in (typeof EXPORTS)[number]]?: unknown }

function checkModule(file: string, exported: Exported): WorkerModule {
  if (EXPORTS.every((name) => exported[name] === undefined)) {
    throw new InvalidInput('module', `${file} exports nothing that a worker is made of`, SHAPE)
  }
  const { handlers = {}, publishers = {}, protocols = [], pipelines = [], adapters, stages } = exported
  const wrong = (name: string, what: string) =>
    new InvalidInput(name, `${file}: the export ${name} is ${what}`, SHAPE)
  if (!isObject(handlers)) throw wrong('handlers', 'not an object with a function for each queue')
  if (!isObject(publishers)) throw wrong('publishers', 'not an object with a publisher for each service')
  if (!Array.isArray(protocols)) throw wrong('protocols', 'not a list')
  for (const [queue, handler] of Object.entries(handlers)) {
    if (typeof handler !== 'function') throw wrong(`handlers.${queue}`, 'not a function')
  }
  for (const [service, publisher] of Object.entries(publishers)) {
    const { publish } = (isObject(publisher) ? publisher : {}) as { readonly publish?: unknown }
    if (typeof publish !== 'function') throw wrong(`publishers.${service}`, 'without a function publish')
  }
  if (!Array.isArray(pipelines)) throw wrong('pipelines', 'not a list')
  for (const [index, pipeline] of pipelines.entries()) {
    const { handlersFor } = (isObject(pipeline) ? pipeline : {}) as { readonly handlersFor?: unknown }
    if (typeof handlersFor !== 'function') throw wrong(`pipelines[${index}]`, 'not a pipeline')
  }
  if (stages !== undefined && !isObject(stages))
    throw wrong('stages', 'not an object with a function for each stage')
  return {
    file,
    handlers,
    publishers,
    protocols,
    pipelines,
    adapters: adapters === undefined ? null : checkAdapters(file, adapters),
    stages: stages ?? null,
  } as WorkerModule
}
