import { TABLES_1 } from './schema.ts'
import { VIEWS_2 } from './views.ts'

export interface SqliteMigration {
  readonly version: number
  readonly name: string
  readonly sql: string
}

/** Which migrations were applied, and when. The first thing there is. */
export const MIGRATION_TABLE = `
CREATE TABLE migration (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT;
`

const MIGRATIONS: readonly SqliteMigration[] = [
  { version: 1, name: 'tables', sql: TABLES_1 },
  { version: 2, name: 'views', sql: VIEWS_2 },
]

/** In the order in which they are applied. */
export function sqliteMigrations(): readonly SqliteMigration[] {
  return MIGRATIONS
}
