import { Argument, Option } from 'commander'
import { InvalidInput } from '../../../errors/input-errors.ts'
import { DEFAULT_SCHEMA } from '../../../store/postgres/postgres-options.ts'
import { defineCommand } from '../../define-command.ts'
import { wholeNumber } from '../../options/numbers.ts'

interface Options {
  readonly schema?: string
  readonly from?: number
}

interface Printed {
  readonly sql: string
  readonly newest: number
}

export const ledgerSql = defineCommand<Options>({
  name: 'sql',
  summary: 'print the SQL that makes the tables of a database, or brings them up to date',
  about:
    'Prints the migrations of an engine as one transaction, for whoever reviews them or has to run them as another user. ' +
    'It is what waybill init does by itself; a ledger whose tables were made by hand is opened like any other. It asks no ' +
    'database.',
  arguments: [new Argument('<engine>', 'which database').choices(['postgres', 'sqlite'])],
  options: [
    new Option('--schema <name>', `the schema that the tables are in (${DEFAULT_SCHEMA} unless told)`),
    new Option('--from <version>', 'only what comes after this version; everything unless told').argParser(
      (text) => wholeNumber('from', text, 0),
    ),
  ],
  examples: [
    [
      'ledger sql postgres | psql --set ON_ERROR_STOP=1 postgres://owner@db.example/work',
      'make the tables by hand',
    ],
    ['ledger sql postgres --schema tests --from 2', 'only what version 2 lacks'],
    ['ledger sql sqlite > ledger.sql', 'to read it'],
  ],
  async run(session, { schema, from = 0 }, [engine]) {
    if (engine === 'sqlite' && schema !== undefined) {
      throw new InvalidInput(
        'schema',
        'SQLite has no schemas',
        'Leave out --schema: the file has one ledger.',
      )
    }
    const { sql, newest } =
      engine === 'sqlite' ? await ofSqlite(from) : await ofPostgres(schema ?? DEFAULT_SCHEMA, from)
    if (from > newest) {
      throw new InvalidInput(
        'from',
        `There is no version ${from}`,
        `The newest that this Waybill knows is ${newest}.`,
      )
    }
    if (session.isJson) return session.json({ engine: engine as string, from, to: newest, sql })
    await session.out.write(sql)
  },
})

async function ofSqlite(from: number): Promise<Printed> {
  const { sqliteMigrations, sqliteScript } = await import('../../../store/sqlite/migrations.ts')
  return { sql: sqliteScript(from), newest: sqliteMigrations().length }
}

async function ofPostgres(schema: string, from: number): Promise<Printed> {
  const { postgresMigrations, postgresScript } = await import(
    '../../../store/postgres/migrations/migrations.ts'
  )
  return { sql: postgresScript(schema, from), newest: postgresMigrations(schema).length }
}
