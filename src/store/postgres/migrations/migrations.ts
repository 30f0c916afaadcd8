import { InvalidInput } from '../../../errors/input-errors.ts'
import { foldSql } from './fold.ts'
import { foldAgainSql } from './fold-again.ts'
import { tablesSql } from './tables.ts'
import { beginsInPlaceSql, endsTailSql, tailSql } from './tail.ts'
import { tailPartsSql } from './tail-parts.ts'
import { viewsNowSql, viewsSql } from './views.ts'
import { writeAlikeSql } from './write-alike.ts'
import { writeFunctionSql } from './write-function.ts'
import { writeLoneSql } from './write-lone.ts'
import { functionSql, writeRowsSql } from './write-rows.ts'

export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
}

/** PostgreSQL cuts longer names off, and the names of partitions and channels are made from it. */
const LONGEST_SCHEMA = 40

const SCHEMA = /^[a-z_][a-z0-9_]*$/

/** As SQL has it; anything but a plain name is refused. */
export function quotedSchema(schema: string): string {
  if (!SCHEMA.test(schema) || schema.length > LONGEST_SCHEMA || schema.startsWith('pg_')) {
    const next = `Give a name of at most ${LONGEST_SCHEMA} lowercase letters, digits and underscores, such as waybill.`
    throw new InvalidInput('schema', `${JSON.stringify(schema)} is no name for a schema`, next)
  }
  return `"${schema}"`
}

export function channelOf(schema: string): string {
  return `waybill_${schema}`
}

/** Everything that is done to a database, in order. What was released is never changed: another one is added. */
export function postgresMigrations(schema: string): readonly Migration[] {
  const s = quotedSchema(schema)
  return [
    { version: 1, name: 'tables', sql: tablesSql(s) },
    { version: 2, name: 'write', sql: writeFunctionSql(s, channelOf(schema)) },
    { version: 3, name: 'views', sql: viewsSql(s) },
    { version: 4, name: 'rows', sql: writeRowsSql(s, channelOf(schema)) },
    { version: 5, name: 'alike', sql: writeAlikeSql(s, channelOf(schema)) },
    { version: 6, name: 'plans', sql: plansSql(s) },
    { version: 7, name: 'lone', sql: writeLoneSql(s, channelOf(schema)) },
    { version: 8, name: 'tail', sql: tailMigrationSql(s, channelOf(schema)) },
    { version: 9, name: 'fold', sql: foldAgainSql(s) },
  ]
}

/**
 * Each row that is written is looked up by its key, however large the server takes a table for: lists of work are empty when
 * they are counted and full a moment later. A bitmap scan is the only one that cannot go through all of a table instead.
 */
function plansSql(s: string): string {
  return ['write', 'write_alike']
    .flatMap((name) =>
      ['enable_indexscan', 'enable_indexonlyscan'].map(
        (scan) => `ALTER FUNCTION ${s}.${name} SET ${scan} = off;`,
      ),
    )
    .join('\n')
}

/** Writes may be added to the end of the log; those in place see to it that none is there. */
function tailMigrationSql(s: string, channel: string): string {
  const inPlace = {
    begins: beginsInPlaceSql(s),
    beforeHead: endsTailSql(s),
    sets: ', turn = turn + 1',
    answers: ', v_head.turn',
  }
  return [
    tailSql(s, channel),
    tailPartsSql(s),
    foldSql(s),
    `DROP FUNCTION ${s}.write;`,
    functionSql(s, channel, { name: 'write', parameters: '', newJobs: '', ...inPlace }),
    `DROP FUNCTION ${s}.write_lone;`,
    writeLoneSql(s, channel, inPlace),
    plansSql(s),
    viewsNowSql(s),
  ].join('\n')
}

/** Which migrations were applied, and when. */
export function migrationTableSql(s: string): string {
  return `CREATE TABLE IF NOT EXISTS ${s}.migration (version int PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL)`
}

/** The same as a script for psql, for a schema that has everything up to a version. */
export function postgresScript(schema: string, from: number): string {
  const s = quotedSchema(schema)
  const later = postgresMigrations(schema).filter(({ version }) => version > from)
  if (later.length === 0) return '-- Nothing to do: this is the newest version.\n'
  const made = `CREATE SCHEMA IF NOT EXISTS ${s};\n${migrationTableSql(s)};\n`
  return [
    `BEGIN;\nSELECT pg_advisory_xact_lock(hashtextextended('waybill migrate ${schema}', 0));\n${from === 0 ? made : ''}`,
    ...later.map(
      ({ version, name, sql }) =>
        `\n-- ${version}: ${name}\n${sql.trim()}\nINSERT INTO ${s}.migration VALUES (${version}, '${name}', now());\n`,
    ),
    '\nCOMMIT;\n',
  ].join('')
}
