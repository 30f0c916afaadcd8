import { Option } from 'commander'
import { AUDIT_EVENTS, type AuditEvent } from '../../../core/audit.ts'
import type { RecordKind } from '../../../core/machines/all.ts'
import type { AuditQuery } from '../../../store/query.ts'
import { defineCommand } from '../../define-command.ts'
import { type PagingOptions, pagesOf, pagingOptions } from '../../options/page.ts'
import { ALL_STATES, RECORD_KINDS, stateOf } from '../../options/states.ts'
import { timeOption } from '../../options/time-option.ts'
import { writeList } from '../../output/list.ts'
import { auditColumns } from '../history-list.ts'
import { COUNTED_BY, type CountedBy, writeCounts } from './audit-counts.ts'
import { writeDurations } from './audit-durations.ts'

export interface AuditOptions extends PagingOptions {
  readonly kind?: RecordKind
  readonly id?: string
  readonly state?: string
  readonly adapter?: string
  readonly errorType?: string
  readonly actor?: string
  readonly event?: AuditEvent
  readonly since?: number
  readonly until?: number
  readonly desc?: boolean
  readonly durations?: boolean
  readonly countBy?: CountedBy
}

export const ledgerAudit = defineCommand<AuditOptions>({
  name: 'audit',
  summary: 'who did what to which record, when and why',
  about:
    'Searches the history of all records, in the order in which it happened. All filters given have to match. With ' +
    '--durations it tells how long records stayed in each state before they left it, with --count-by how often what ' +
    'happened. Searches everybody, or one tenant with --tenant.',
  options: [
    new Option('--kind <kind>', 'what it happened to').choices(RECORD_KINDS),
    new Option('--id <id>', 'to this record'),
    new Option('--state <state>', 'the state that was entered (with --durations: that was left)')
      .choices(ALL_STATES)
      // Whether it is one depends on the kind, which may come later on the command line.
      .argParser((text) => text),
    new Option('--adapter <name>', 'by this adapter, service or tool'),
    new Option('--error-type <name>', 'with an error of this type'),
    new Option('--actor <name>', 'by this user or program'),
    new Option('--event <event>', 'what came of it').choices(AUDIT_EVENTS),
    timeOption('since', 'at this time or later: 2025-10-03T12:00:00Z, epoch seconds, or how long ago (2h)'),
    timeOption('until', 'before this time'),
    new Option('--desc', 'latest first'),
    ...pagingOptions(),
    new Option('--durations', 'instead: count, mean, p50, p95, p99 and longest time in each state'),
    new Option('--count-by <field>', 'instead: how many entries there are of each')
      .choices(COUNTED_BY)
      .conflicts('durations'),
  ],
  examples: [
    ['ledger audit --desc --limit 20', 'the last twenty things that happened'],
    ['ledger audit --event refused --since 1d', 'what was refused since yesterday'],
    ['ledger audit --count-by error_type --since 7d', 'what goes wrong most often'],
    ['ledger audit --durations --kind document', 'how long documents stay in each state'],
  ],
  async run(session, options) {
    if (options.state !== undefined) stateOf(options.state, options.kind)
    const ledger = await session.openToRead()
    const query = queryOf(options, options.tenant)
    if (options.durations === true) return writeDurations(session, ledger, query)
    if (options.countBy !== undefined) return writeCounts(session, ledger, query, options.countBy)
    const direction = options.desc === true ? 'desc' : 'asc'
    const pages = pagesOf((page) => ledger.audit.query({ ...query, ...page, direction }), options)
    const isFiltered = Object.values(query).some((filter) => filter !== undefined)
    await writeList(session, pages, {
      columns: auditColumns,
      what: 'entry',
      empty: () => (isFiltered ? 'Nothing in the history matches.' : 'Nothing has happened yet.'),
      total:
        options.all === true && !isFiltered && options.after === undefined
          ? async () => (await ledger.stats()).audit_records
          : undefined,
    })
  },
})

function queryOf(options: AuditOptions, tenant_id: string | undefined): AuditQuery {
  return {
    tenant_id,
    kind: options.kind,
    id: options.id,
    state: options.state,
    adapter: options.adapter,
    error_type: options.errorType,
    actor: options.actor,
    event: options.event,
    from: options.since,
    before: options.until,
  }
}
