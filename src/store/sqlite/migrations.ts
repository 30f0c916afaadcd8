import { LEFT_IN_TAIL_4, NEW_CLAIMS_3, TABLES_1, TAIL_5 } from './schema.ts'
import { VIEWS_2, VIEWS_5 } from './views.ts'

export interface SqliteMigration {
  readonly version: number
  readonly name: string
  readonly sql: string
}

/** Says that a database is a ledger: the letters WAYB. */
export const APPLICATION_ID = 0x57_41_59_42

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
  { version: 3, name: 'new claims', sql: NEW_CLAIMS_3 },
  { version: 4, name: 'left in the tail', sql: LEFT_IN_TAIL_4 },
  { version: 5, name: 'whole writes in the tail', sql: `${TAIL_5}${VIEWS_5}` },
]

/** In the order in which they are applied. */
export function sqliteMigrations(): readonly SqliteMigration[] {
  return MIGRATIONS
}

/** The same as a script for sqlite3, for a database that has everything up to a version. */
export function sqliteScript(from: number): string {
  const later = MIGRATIONS.filter(({ version }) => version > from)
  const last = later.at(-1)?.version
  if (last === undefined) return '-- Nothing to do: this is the newest version.\n'
  const made = `PRAGMA application_id = ${APPLICATION_ID};\n${MIGRATION_TABLE.trim()}\n`
  return [
    from === 0 ? 'PRAGMA journal_mode = WAL;\n' : '',
    `BEGIN IMMEDIATE;\n${from === 0 ? made : ''}`,
    ...later.map(
      ({ version, name, sql }) =>
        `\n-- ${version}: ${name}\n${sql.trim()}\n` +
        `INSERT INTO migration (version, name, applied_at) VALUES (${version}, '${name}', unixepoch() * 1000);\n`,
    ),
    `\nPRAGMA user_version = ${last};\nCOMMIT;\n`,
  ].join('')
}
