import { Option } from 'commander'
import { defineCommand } from '../../define-command.ts'
import { IMPORT_EXITS, type ImportOptions, importOptions, urlArgument, urlOf } from './import-options.ts'
import { runImport } from './run-import.ts'

interface Options extends ImportOptions {
  readonly schema: string
  readonly crontab?: string
}

export const importGraphileWorker = defineCommand<Options>({
  name: 'graphile-worker',
  summary: 'take over the jobs of Graphile Worker',
  about:
    'Takes over the jobs of Graphile Worker 0.16, 0.17 and 0.18 from PostgreSQL, in a transaction that only reads. A job ' +
    'of task send_mail becomes a request of type send_mail with one step, whose queue is send_mail; jobs of a named ' +
    'queue still run one after the other. Payload, run_at, attempts that are left and the waits between them come along; ' +
    'whatever does not is reported. Its schedules are not in the database but in a crontab: give it with --crontab. Stop ' +
    'the workers of Graphile Worker first: they would do the same jobs. To run it again takes over what is new, and ' +
    'nothing twice; so it goes on when it was cut off. With failed in --states, these come as jobs that have ended: ' +
    'waybill jobs again runs them once more. Needs the package pg.',
  arguments: [urlArgument('its database: postgres://host/database')],
  options: [
    new Option('--schema <name>', 'the schema that Graphile Worker was given').default('graphile_worker'),
    new Option('--crontab <file>', 'its crontab, to take over the schedules in it'),
    ...importOptions('{queue}'),
  ],
  writes: true,
  examples: [
    [
      'import graphile-worker postgres://localhost/app --dry-run --report report.md',
      'first: what would happen?',
    ],
    [
      'import graphile-worker postgres://localhost/app --crontab crontab --write-protocols waybill.protocols.json',
      'then: take it over, with its schedules',
    ],
    [
      'import graphile-worker postgres://localhost/app --queue send_mail=mail',
      'one task, under another name',
    ],
    ['import graphile-worker postgres://localhost/app --states waiting,delayed,failed', 'also what failed'],
    [
      'import graphile-worker postgres://localhost/app --active wait --wait 5m',
      'when the workers have finished',
    ],
    [
      'import graphile-worker postgres://localhost/app --dry-run --json | jq .queues',
      'counts, for a program',
    ],
  ],
  exits: IMPORT_EXITS,
  async run(session, options, [url]) {
    const { schema, crontab: file } = options
    const { GraphileSource } = await import('../../../ledger/import/graphile-worker/graphile-source.ts')
    const { readCrontab } = await import('../../../ledger/import/graphile-worker/crontab.ts')
    await runImport(session, options, async (opening) => {
      const crontab = file === undefined ? null : await readCrontab(opening.world.disk, file)
      return GraphileSource.open(urlOf(url), { ...opening, schema, crontab })
    })
  },
})
