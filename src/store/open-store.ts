import { UnknownEngine, Unsupported } from '../errors/input-errors.ts'
import type { World } from '../world/world.ts'
import type { AzureTablesOptions } from './azure-tables/azure-tables-options.ts'
import type { JournalOptions } from './journal/journal-options.ts'
import type { PostgresOptions } from './postgres/postgres-options.ts'
import type { SqliteOptions } from './sqlite/open-sqlite.ts'
import type { Store } from './store.ts'

interface Engine {
  /** What to write to get it, for the message that lists the engines. */
  readonly example: string
  /** Which of the options are for it. */
  readonly options?: (typeof OPTIONS)[number]
  readonly opens: (url: string) => boolean
  readonly open: (url: string, world: World, options: StoreOptions) => Promise<Store>
}

const OPTIONS = ['journal', 'sqlite', 'postgres', 'azureTables'] as const

/** Options of one engine or another. */
export interface StoreOptions {
  /** How a ledger in a folder is kept; for no other engine. */
  readonly journal?: JournalOptions | undefined
  /** How a ledger in SQLite is kept; for no other engine. */
  readonly sqlite?: Omit<SqliteOptions, 'create'> | undefined
  /** How a ledger in PostgreSQL is kept; for no other engine. */
  readonly postgres?: Omit<PostgresOptions, 'create'> | undefined
  /** How a ledger in Azure tables is kept; for no other engine. */
  readonly azureTables?: Omit<AzureTablesOptions, 'create'> | undefined
  /** False refuses to make a ledger where there is none; the default, where it is only to be read. */
  readonly create?: boolean | undefined
}

/** Engines are loaded when they are first used: nobody waits for a driver that they do not need. */
const ENGINES: readonly Engine[] = [
  {
    example: 'memory:',
    opens: (url) => url === 'memory:',
    open: async (_url, world) => new (await import('./memory/memory-store.ts')).MemoryStore(world),
  },
  {
    example: 'sqlite:./ledger.db',
    options: 'sqlite',
    opens: (url) => /^sqlite:./i.test(url),
    open: async (url, world, { sqlite, create }) =>
      (await import('./sqlite/sqlite.ts')).openSqlite(url, world, { ...sqlite, create }),
  },
  {
    example: 'postgres://user@host/database',
    options: 'postgres',
    opens: (url) => /^postgres(ql)?:\/\//i.test(url),
    open: async (url, world, { postgres, create }) =>
      (await import('./postgres/postgres.ts')).openPostgres(url, world, { ...postgres, create }),
  },
  {
    example: 'azure-tables:https://account.table.core.windows.net',
    options: 'azureTables',
    opens: (url) => /^azure-tables:./i.test(url),
    open: async (url, world, { azureTables, create }) =>
      (await import('./azure-tables/azure-tables.ts')).openAzureTables(url, world, {
        ...azureTables,
        create,
      }),
  },
  {
    example: './folder',
    options: 'journal',
    // Two letters at least before the colon: one is a drive. The name of an engine without its colon is a mistake.
    opens: (url) => url.trim() !== '' && !/^[a-z][a-z0-9+.-]+:|^memory$/i.test(url),
    open: async (url, world, { journal, create }) =>
      (await import('./journal/journal.ts')).openJournal(url, world, { ...journal, create }),
  },
]

/** Which options are for a ledger with this URL; undefined when none are, or nothing opens it. */
export function optionsFor(url: string): Engine['options'] {
  return ENGINES.find((engine) => engine.opens(url))?.options
}

/** Whether the ledger is a folder: those alone have files of ours, which can be repaired and copied. */
export function isFolder(url: string): boolean {
  return optionsFor(url) === 'journal'
}

export async function openStore(url: string, world: World, options: StoreOptions = {}): Promise<Store> {
  const engine = ENGINES.find((candidate) => typeof url === 'string' && candidate.opens(url))
  if (engine === undefined) {
    throw new UnknownEngine(
      String(url),
      ENGINES.map(({ example }) => example),
    )
  }
  for (const name of OPTIONS) {
    if (options[name] === undefined || name === engine.options) continue
    throw new Unsupported(`options for ${name}`, `Leave out \`${name}\`: ${engine.example} has other ones.`)
  }
  return engine.open(url, world, options)
}
