import { Option } from 'commander'
import { defineCommand } from '../../define-command.ts'
import { IMPORT_EXITS, type ImportOptions, importOptions, urlArgument, urlOf } from './import-options.ts'
import { runImport } from './run-import.ts'

interface Options extends ImportOptions {
  readonly prefix: string
}

export const importBullmq = defineCommand<Options>({
  name: 'bullmq',
  summary: 'take over the jobs of BullMQ',
  about:
    'Takes over the jobs and job schedulers of BullMQ 5 and 6 from Redis, which is only read. A job of queue mail named ' +
    'welcome becomes a request of type mail.welcome with one step: its queue is mail, its type welcome. Payload, delay, ' +
    'attempts that are left, backoff and children come along; whatever does not is reported. Stop the workers of BullMQ ' +
    'first: they would do the same jobs. To run it again takes over what is new, and nothing twice; so it goes on ' +
    'when it was cut off. With failed or completed in --states, these come as jobs that have ended: waybill jobs again ' +
    'runs them once more. Needs the package ioredis.',
  arguments: [urlArgument('its Redis: redis://host:6379/0')],
  options: [
    new Option('--prefix <name>', 'the prefix that BullMQ was given').default('bull'),
    ...importOptions('{queue}.{name}'),
  ],
  writes: true,
  examples: [
    ['import bullmq redis://localhost:6379 --dry-run --report report.md', 'first: what would happen?'],
    ['import bullmq redis://localhost:6379 --write-protocols waybill.protocols.json', 'then: take it over'],
    ['import bullmq redis://localhost:6379 --queue mail=post', 'one queue, under another name'],
    [
      'import bullmq redis://localhost:6379 --states waiting,delayed,failed',
      'also what failed, to run it again',
    ],
    ['import bullmq redis://localhost:6379 --active wait --wait 5m', 'when the workers have finished'],
    ['import bullmq redis://localhost:6379 --dry-run --json | jq .queues', 'counts, for a program'],
  ],
  exits: IMPORT_EXITS,
  async run(session, options, [url]) {
    const { prefix } = options
    const { BullmqSource } = await import('../../../ledger/import/bullmq/bullmq-source.ts')
    await runImport(session, options, ({ states, wants, as }) =>
      BullmqSource.open(urlOf(url), { wants, as, prefix, withSchedules: states.has('schedules') }),
    )
  },
})
