import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { FileNotFound } from '../../errors/file-errors.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import { isThere } from '../../world/is-there.ts'

export type Exports = { readonly [name: string]: unknown }

/** What a module of the user's exports under these names; else what its default export has under them. */
export async function loadModule(file: string, names: readonly string[], next: string): Promise<Exports> {
  const { realWorld } = await import('../../world/world.ts')
  if (!(await isThere(realWorld.disk, file))) throw new FileNotFound(file, next)
  const named = (await load(file)) as Exports
  const other = isObject(named.default) ? named.default : {}
  return Object.fromEntries(names.map((name) => [name, named[name] ?? other[name]]))
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

export function isObject(value: unknown): value is Exports {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
