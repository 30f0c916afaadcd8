import { Option } from 'commander'
import { defineCommand } from '../../define-command.ts'
import { IMPORT_EXITS, type ImportOptions, importOptions, urlArgument, urlOf } from './import-options.ts'
import { runImport } from './run-import.ts'

interface Options extends ImportOptions {
  readonly schema: string
}

export const importPgBoss = defineCommand<Options>({
  name: 'pg-boss',
  summary: 'take over the jobs of pg-boss',
  about:
    'Takes over the jobs and schedules of pg-boss 10.4, 11 and 12 from PostgreSQL, in a transaction that only reads. A ' +
    'job of queue mail becomes a request of type mail with one step, whose queue is mail. Payload, start, retries that ' +
    'are left, their delays, expiry and dependencies come along; whatever does not is reported. Stop the workers of ' +
    'pg-boss first: they would do the same jobs. To run it again takes over what is new, and nothing twice; so it goes ' +
    'on when it was cut off. With failed or completed in --states, these come as jobs that have ended: waybill jobs again ' +
    'runs them once more. Needs the package pg.',
  arguments: [urlArgument('its database: postgres://host/database')],
  options: [
    new Option('--schema <name>', 'the schema that pg-boss was given').default('pgboss'),
    ...importOptions('{queue}'),
  ],
  writes: true,
  examples: [
    ['import pg-boss postgres://localhost/app --dry-run --report report.md', 'first: what would happen?'],
    [
      'import pg-boss postgres://localhost/app --write-protocols waybill.protocols.json',
      'then: take it over',
    ],
    ['import pg-boss postgres://localhost/app --queue mail=post', 'one queue, under another name'],
    [
      'import pg-boss postgres://localhost/app --states waiting,delayed,failed',
      'also what failed, to run it again',
    ],
    ['import pg-boss postgres://localhost/app --active wait --wait 5m', 'when the workers have finished'],
    ['import pg-boss postgres://localhost/app --dry-run --json | jq .queues', 'counts, for a program'],
  ],
  exits: IMPORT_EXITS,
  async run(session, options, [url]) {
    const { schema } = options
    const { PgBossSource } = await import('../../../ledger/import/pg-boss/pg-boss-source.ts')
    await runImport(session, options, (opening) => PgBossSource.open(urlOf(url), { ...opening, schema }))
  },
})
