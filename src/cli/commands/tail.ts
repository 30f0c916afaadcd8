import { Option } from 'commander'
import type { AuditRecord } from '../../core/audit.ts'
import type { RecordKind } from '../../core/machines/all.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { type AuditQuery, matchesAudit } from '../../store/query.ts'
import { START } from '../../store/store.ts'
import { systemTimers } from '../../world/timers.ts'
import { defineCommand } from '../define-command.ts'
import { wholeNumber } from '../options/numbers.ts'
import { ALL_STATES, RECORD_KINDS, stateOf } from '../options/states.ts'
import { dayOf, recordLine } from '../output/record-line.ts'
import { safeJson } from '../output/safe-text.ts'
import { timeText } from '../output/words.ts'
import type { Session } from '../session.ts'

interface Options {
  readonly job?: string
  readonly doc?: string
  readonly kind?: RecordKind
  readonly state?: string
  readonly from?: string
  readonly last: number
  readonly follow: boolean
}

const DEFAULT_LAST = 10
const MOST_LAST = 1000

export const tail = defineCommand<Options>({
  name: 'tail',
  summary: 'follow what happens, as it happens',
  about:
    'Shows the last few things that happened and then everything that happens, one a line, until Ctrl-C. It reads beside ' +
    'whoever writes, skips nothing and repeats nothing. With --json each line has a cursor: --from with the last one ' +
    'seen goes on right after it. Shows everybody, or one tenant with --tenant.',
  options: [
    new Option('--job <id>', 'only this job, with its steps and directives'),
    new Option('--doc <id>', 'only this document, and jobs about it'),
    new Option('--kind <kind>', 'only what happens to these').choices(RECORD_KINDS),
    new Option('--state <state>', 'only when this state is entered')
      .choices(ALL_STATES)
      // Whether it is one depends on the kind, which may come later on the command line.
      .argParser((text) => text),
    new Option('--from <cursor>', `begin after this cursor; ${START} is the very beginning`).conflicts(
      'last',
    ),
    new Option('--last <n>', 'begin with so many that happened already')
      .default(DEFAULT_LAST)
      .argParser((text) => Math.min(wholeNumber('last', text, 0), MOST_LAST)),
    new Option('--no-follow', 'end where the history ends now'),
  ],
  examples: [
    ['tail', 'what goes on'],
    ['tail --job JOB --from 0', 'a job from its beginning to its end, and on'],
    ['tail --kind job --state FAILED_FINAL --last 0', 'jobs that fail from now on'],
    ['tail --json --from 1234 >> history.jsonl', 'for a program, going on where it was'],
  ],
  exits: [[0, 'also after Ctrl-C']],
  async run(session, options) {
    if (options.state !== undefined) stateOf(options.state, options.kind)
    const ledger = await session.openToRead()
    const { job: job_id, doc: doc_id, kind, state, tenant: tenant_id } = options
    const query: AuditQuery = { job_id, doc_id, kind, state, tenant_id }
    const follower = new Follower(session)
    if (options.from === undefined) await follower.last(ledger, query, options.last)
    else await follower.start(ledger, options.from)
    if (!options.follow) return follower.readOn(ledger, query)
    const hold = systemTimers.hold()
    try {
      await follower.follow(ledger, query)
    } finally {
      hold.cancel()
    }
  },
})

/**
 * Where an engine keeps what is told of a record by itself, that has cursors of its own; here they have to be good for going
 * on with everything. Who else has a job or document of that name is left out afterwards.
 */
function inWholeLog({ tenant_id, ...query }: AuditQuery): AuditQuery {
  const isNamed = query.job_id !== undefined || query.doc_id !== undefined
  return isNamed ? query : { ...query, tenant_id }
}

/** Goes along the history, and knows where it is. */
class Follower {
  readonly #session: Session
  /** Everything up to here was looked at. */
  #cursor = START
  #day: string

  constructor(session: Session) {
    this.#session = session
    this.#day = timeText(session.clock.now()).slice(0, 10)
  }

  /** The last few that match, and then what comes after whatever was last. */
  async last(ledger: Ledger, query: AuditQuery, count: number): Promise<void> {
    const { items: newest } = await ledger.audit.query({ direction: 'desc', limit: 1 })
    const end = newest[0]
    if (end === undefined) return
    this.#cursor = end.cursor
    if (count === 0) return
    const found = matchesAudit(end, query) ? [end] : []
    const before = { ...inWholeLog(query), direction: 'desc', after: end.cursor, limit: count } as const
    for await (const record of ledger.audit.records(before)) {
      if (found.length === count) break
      if (matchesAudit(record, query)) found.push(record)
    }
    for (const record of found.toReversed()) await this.#show(record)
    this.#cursor = end.cursor
  }

  /** From a cursor that somebody gives: whether it is one is found out before anything else. */
  async start(ledger: Ledger, cursor: string): Promise<void> {
    try {
      await ledger.audit.query({ after: cursor, limit: 1 })
    } catch (error) {
      const message = `--from ${JSON.stringify(cursor)} is not a cursor of this ledger`
      throw InvalidInput.by(
        error,
        'from',
        message,
        'Give the cursor of a line of waybill tail --json; 0 is the beginning.',
      )
    }
    this.#cursor = cursor
  }

  async readOn(ledger: Ledger, query: AuditQuery): Promise<void> {
    for await (const record of ledger.audit.records({ ...inWholeLog(query), after: this.#cursor }))
      if (matchesAudit(record, query)) await this.#show(record)
  }

  async follow(ledger: Ledger, query: AuditQuery): Promise<void> {
    const signal = this.#session.ending
    for await (const record of ledger.events({ after: this.#cursor, signal })) {
      if (matchesAudit(record, query)) await this.#show(record)
      this.#cursor = record.cursor
    }
    const next = this.#session.hintOf(`tail --from ${this.#cursor}`)
    await this.#session.notes.hint(`To go on from here: ${next}`, { cursor: this.#cursor })
  }

  async #show(record: AuditRecord): Promise<void> {
    const { out, isJson } = this.#session
    this.#cursor = record.cursor
    if (isJson) return out.line(safeJson(record))
    const day = dayOf(record)
    if (out.isTerminal && day !== this.#day) await out.line(out.paint('dim', `── ${day} ──`))
    this.#day = day
    await out.line(recordLine(out, record))
  }
}
