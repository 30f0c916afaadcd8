// Which files of the package a module goes into. Node takes half a millisecond to find and link one more, and as long to read
// twenty thousand characters that nobody needs: what everybody needs is in few files, and what few need is not in those.
import { basename, join } from 'node:path'
import type { ModuleInfo, Plugin } from 'rolldown'
import { ROOT } from './command.ts'

const SOURCE = join(ROOT, 'src')

/** On its own, because it is there for what it does and not for what it exports. */
const ALONE = /[\\/]src[\\/](node-version)\.ts$/

/** What everything else stands on. Who wants but a name of the rules gets nothing else. */
const RULES = /[\\/]src[\\/]core[\\/]/
const BASE = /[\\/]src[\\/](?:errors|world|wire)[\\/]/

const LIBRARY = 'index.ts'
const JOURNAL = 'store/journal/journal.ts'
const DATABASES = [
  'store/sqlite/sqlite.ts',
  'store/postgres/postgres.ts',
  'store/azure-tables/azure-tables.ts',
]
const ENGINES = [JOURNAL, 'store/memory/memory-store.ts', ...DATABASES]

/** Tells of each module which part it goes into; null leaves it to who imports it. Filled when all of them are known. */
export class Parts {
  readonly #putIn: readonly string[]
  #ofLibrary: ReadonlySet<string> = new Set()
  #ofEngines: readonly ReadonlySet<string>[] = []

  constructor(putIn: readonly string[]) {
    this.#putIn = putIn
  }

  readonly plugin: Plugin = {
    name: 'parts',
    buildEnd: {
      handler: (error) => {
        if (error !== undefined) return
        this.#ofLibrary = this.#reached(LIBRARY)
        this.#ofEngines = ENGINES.map((engine) => this.#reached(engine))
      },
    },
    moduleParsed: (info) => {
      this.#imports.set(info.id, info.importedIds)
    },
  }

  readonly #imports = new Map<string, ModuleInfo['importedIds']>()

  of(id: string): string | null {
    const alone = ALONE.exec(id)?.[1]
    if (alone !== undefined) return alone
    const putIn = this.#putIn.find((name) => id.includes(join('node_modules', name, '/')))
    if (putIn !== undefined) return putIn
    const engines = ENGINES.filter((_, n) => this.#ofEngines[n]?.has(id))
    const isOfLibrary = this.#ofLibrary.has(id)
    if (!isOfLibrary && engines.length === 0) return null
    if (RULES.test(id)) return 'core'
    if (BASE.test(id)) return 'base'
    if (id === join(SOURCE, LIBRARY)) return null
    // What a folder and databases have in common, everybody needs. Apart from what loads engines: who puts a program together follows
    // that as soon as an engine needs what lies beside it.
    const isCommon = engines.includes(JOURNAL) && engines.some((one) => DATABASES.includes(one))
    if (isCommon || (isOfLibrary && engines.length > 0)) return 'store'
    if (isOfLibrary) return 'ledger'
    if (engines.length > 1) return engines.includes(JOURNAL) ? 'live' : 'tables'
    return `in-${basename(engines[0] as string, '.ts')}`
  }

  /** All that is loaded with a file. */
  #reached(file: string): ReadonlySet<string> {
    const reached = new Set<string>()
    const next = [join(SOURCE, file)]
    for (let id = next.pop(); id !== undefined; id = next.pop()) {
      if (reached.has(id)) continue
      reached.add(id)
      next.push(...(this.#imports.get(id) ?? []))
    }
    return reached
  }
}
