import { Option } from 'commander'
import { InvalidInput } from '../../errors/input-errors.ts'
import type { Adapter } from '../../orchestrator/tools/adapter.ts'
import { isObject, loadModule } from '../input/load-module.ts'

export interface AdapterOptions {
  readonly adapters?: string
}

export function adaptersOption(): Option {
  return new Option(
    '--adapters <module>',
    'a module that exports adapters, for tools beside those that come with Waybill',
  )
}

const SHAPE = 'Export adapters, a list: [{ tool, defaultTimeoutSeconds, passEnv, prepare }].'

/** The adapters of the module that is named; none when none is. */
export async function adaptersOf({ adapters: file }: AdapterOptions): Promise<readonly Adapter[]> {
  if (file === undefined) return []
  const { adapters } = await loadModule(file, ['adapters'], SHAPE)
  if (adapters === undefined) throw new InvalidInput('adapters', `${file} exports no adapters`, SHAPE)
  return checkAdapters(file, adapters)
}

/** Of adapters that somebody wrote in JavaScript nobody has checked the types. */
export function checkAdapters(file: string, adapters: unknown): readonly Adapter[] {
  const wrong = (field: string, what: string) =>
    new InvalidInput(field, `${file}: the export ${field} ${what}`, SHAPE)
  if (!Array.isArray(adapters)) throw wrong('adapters', 'is not a list')
  for (const [index, adapter] of adapters.entries()) {
    const field = `adapters[${index}]`
    if (!isObject(adapter)) throw wrong(field, 'is not an object')
    if (typeof adapter.tool !== 'string') throw wrong(`${field}.tool`, 'is not a name')
    if (typeof adapter.prepare !== 'function') throw wrong(`${field}.prepare`, 'is not a function')
    if (typeof adapter.defaultTimeoutSeconds !== 'number' || !(adapter.defaultTimeoutSeconds > 0)) {
      throw wrong(`${field}.defaultTimeoutSeconds`, 'is not a number of seconds')
    }
    if (!Array.isArray(adapter.passEnv)) throw wrong(`${field}.passEnv`, 'is not a list of names')
  }
  return adapters as readonly Adapter[]
}
