import { Argument } from 'commander'
import type { DocumentRecord } from '../../../core/document/record.ts'
import { getValidNextStates, isTerminalState } from '../../../core/document/states.ts'
import { machines } from '../../../core/machines/all.ts'
import { fromEpochSeconds, toIso } from '../../../core/time.ts'
import { nearestOf } from '../../../errors/nearest-of.ts'
import { NotFound } from '../../../errors/refusal-errors.ts'
import type { Ledger } from '../../../ledger/ledger.ts'
import { systemClock } from '../../../world/clock.ts'
import { defineCommand } from '../../define-command.ts'
import { timeOption } from '../../options/time-option.ts'
import { fieldLines } from '../../output/fields.ts'
import { safeText } from '../../output/safe-text.ts'
import { stateStyle } from '../../output/state-style.ts'
import { durationText, timeText } from '../../output/words.ts'
import type { Session } from '../../session.ts'
import { errorText } from './columns.ts'

interface Options {
  readonly at?: number
}

/** So many ids are looked through for one that looks like a misspelt one: a page. */
const LOOKED_THROUGH = 1000

export const docsShow = defineCommand<Options>({
  name: 'show',
  summary: 'everything about one document',
  about:
    'Shows a document: its state, since when and where it may go from there, its last error, retries and metadata. ' +
    'With --at it is shown as it was at that time, as far as the history goes back.',
  arguments: [new Argument('<id>', 'id of the document')],
  options: [timeOption('at', 'as it was then: 2025-10-03T12:00:00Z, epoch seconds, or how long ago (2h)')],
  examples: [
    ['docs show pubmed:123', 'where it is, and where it may go'],
    ['docs show pubmed:123 --at 2h', 'where it was two hours ago'],
    ['docs show pubmed:123 --json | jq -r .etag', 'its etag, for docs set --if-match'],
  ],
  exits: [[3, 'there is no such document (or: not yet, at that time)']],
  async run(session, { at, tenant }, [id]) {
    const doc_id = id as string
    const ledger = await session.openToRead()
    const document =
      at === undefined
        ? await ledger.documents.get(doc_id, tenant)
        : await ledger.documents.asOf(doc_id, at, tenant)
    if (document === null) throw await notFound(ledger, session, doc_id, at)
    if ('complete' in document && !document.complete) {
      await session.notes.hint('Older history was removed: the state is right, but metadata may be missing.')
    }
    const now = at ?? systemClock.now()
    const seconds = Math.max(0, (now - fromEpochSeconds(document.updated_at)) / 1000)
    const next_states = [...getValidNextStates(document.state)]
    if (session.isJson) {
      const moment = at === undefined ? null : { at: toIso(at) }
      return session.json({ ...document, ...moment, seconds_in_state: seconds, next_states })
    }
    await session.out.write(sheet(session, document, { at, seconds, next_states }))
  },
})

function sheet(
  { out }: Session,
  document: Partial<DocumentRecord> & Pick<DocumentRecord, 'doc_id' | 'state' | 'updated_at'>,
  told: { at: number | undefined; seconds: number; next_states: readonly string[] },
): string {
  const { state, updated_at, error_type = null, error_message = null } = document
  const { about } = machines.document.states[state]
  const then = told.at === undefined ? '' : out.paint('dim', `  as of ${timeText(told.at)}`)
  const legal = told.next_states.length === 0 ? 'none' : told.next_states.join(', ')
  const heading = `${out.paint('bold', safeText(document.doc_id))}${then}\n`
  const fields = fieldLines(out, [
    ['state', state, about, stateStyle(state)],
    ['since', timeText(fromEpochSeconds(updated_at)), `for ${durationText(Math.floor(told.seconds))}`],
    ['may go to', legal, isTerminalState(state) ? 'nothing happens by itself' : undefined],
    ['last error', errorText({ error_type, error_message }), undefined, 'red'],
    ['adapter', document.adapter ?? null],
    [
      'retries',
      document.retry_count === undefined ? null : `${document.retry_count} of ${document.max_retries}`,
    ],
    ['tenant', document.tenant_id ?? null],
    ['etag', document.etag ?? null],
  ])
  return heading + fields + metadataLines(document.metadata)
}

function metadataLines(metadata: DocumentRecord['metadata'] | undefined): string {
  if (metadata === undefined || Object.keys(metadata).length === 0) return ''
  const text = JSON.stringify(metadata, null, 2).split('\n').slice(1, -1)
  return `  metadata\n${text.map((line) => `  ${safeText(line)}\n`).join('')}`
}

async function notFound(
  ledger: Ledger,
  session: Session,
  doc_id: string,
  at: number | undefined,
): Promise<NotFound> {
  const { tenant } = session.options
  const when = at === undefined ? '' : ` at ${timeText(at)}`
  return new NotFound({
    code: 'NOT_FOUND',
    field: 'id',
    message: `There is no document ${JSON.stringify(doc_id)}${when}`,
    next: await whereToLook(ledger, doc_id, tenant),
    details: { doc_id },
  })
}

async function whereToLook(ledger: Ledger, doc_id: string, tenant_id: string | undefined): Promise<string> {
  const { items } = await ledger.documents.list({ tenant_id, limit: LOOKED_THROUGH })
  const ids = items.map((document) => document.doc_id)
  if (ids.includes(doc_id)) return 'It came later: waybill docs history shows when.'
  const meant = nearestOf(doc_id, ids)
  if (meant !== null) return `Did you mean ${meant}?`
  const whose = tenant_id === undefined ? '"default"' : JSON.stringify(tenant_id)
  return `This is the tenant ${whose}; --tenant names another. See what there is: waybill docs list`
}
