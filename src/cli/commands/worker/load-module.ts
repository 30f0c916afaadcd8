import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Protocol } from '../../../core/job/protocol.ts'
import { FileNotFound } from '../../../errors/file-errors.ts'
import { InvalidInput } from '../../../errors/input-errors.ts'
import type { Publishers } from '../../../runtime/dispatcher.ts'
import type { Handlers } from '../../../runtime/handler.ts'
import { isThere } from '../../../world/is-there.ts'

/** What a worker is made of. */
export interface WorkerModule {
  readonly file: string
  readonly handlers: Handlers
  readonly publishers: Publishers
  readonly protocols: readonly Protocol[]
}

/** Loaded when nobody names another, if it is there. */
const DEFAULT_FILES = ['waybill.worker.ts', 'waybill.worker.js', 'waybill.worker.mjs']

const EXPORTS = ['handlers', 'publishers', 'protocols'] as const

const SHAPE =
  'Export handlers ({ queue: function }), publishers ({ service: { publish } }) or protocols ([protocol]).'

/** The module named, or the default one; null when there is neither. */
export async function loadWorkerModule(named: string | undefined): Promise<WorkerModule | null> {
  const { realWorld } = await import('../../../world/world.ts')
  const { disk } = realWorld
  const file = named ?? (await firstThere(DEFAULT_FILES, (name) => isThere(disk, name)))
  if (file === null) return null
  if (!(await isThere(disk, file))) {
    throw new FileNotFound(file, 'Give a module that exports handlers or publishers: worker.ts, say.')
  }
  return checkModule(file, await load(file))
}

async function firstThere(
  names: readonly string[],
  isNameThere: (name: string) => Promise<boolean>,
): Promise<string | null> {
  for (const name of names) if (await isNameThere(name)) return name
  return null
}

async function load(file: string): Promise<object> {
  try {
    return await import(pathToFileURL(resolve(file)).href)
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error))
    const next = `Run it alone to see more: node ${file}`
    throw InvalidInput.by(error, 'module', `${file} cannot be loaded: ${message}`, next)
  }
}

/** What is exported under its name counts; else what the default export has under it. */
function checkModule(file: string, loaded: object): WorkerModule {
  const named = loaded as { readonly [name: string]: unknown }
  const other = isObject(named.default) ? named.default : {}
  const exported = Object.fromEntries(EXPORTS.map((name) => [name, named[name] ?? other[name]]))
  if (EXPORTS.every((name) => exported[name] === undefined)) {
    throw new InvalidInput('module', `${file} exports no handlers, publishers or protocols`, SHAPE)
  }
  const { handlers = {}, publishers = {}, protocols = [] } = exported
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
  return { file, handlers, publishers, protocols } as WorkerModule
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Only these queues, of which the module has to know each. */
export function onlyQueues(module: WorkerModule, queues: readonly string[]): WorkerModule {
  const known = [...new Set([...Object.keys(module.handlers), ...Object.keys(module.publishers)])]
  for (const queue of queues) {
    if (known.includes(queue)) continue
    const message = `${module.file} has no handler or publisher for the queue ${JSON.stringify(queue)}`
    throw new InvalidInput('queue', message, `It has some for: ${known.join(', ') || 'none'}.`)
  }
  const only = <T>(all: { readonly [queue: string]: T }) =>
    Object.fromEntries(Object.entries(all).filter(([queue]) => queues.includes(queue)))
  return { ...module, handlers: only(module.handlers), publishers: only(module.publishers) }
}
