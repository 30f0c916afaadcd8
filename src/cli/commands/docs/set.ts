import { Argument, Option } from 'commander'
import type { LedgerState } from '../../../core/document/states.ts'
import type { JsonObject } from '../../../core/json.ts'
import { defineCommand } from '../../define-command.ts'
import { parseMetadata } from '../../options/metadata.ts'
import { wholeNumber } from '../../options/numbers.ts'
import { DOCUMENT_STATES, STATES_TEXT, settableState } from '../../options/states.ts'
import { safeText } from '../../output/safe-text.ts'
import { stateStyle } from '../../output/state-style.ts'
import { bytesText } from '../../output/words.ts'

interface Options {
  readonly adapter?: string
  readonly metadata?: JsonObject
  readonly reason?: string
  readonly errorType?: string
  readonly errorMessage?: string
  readonly retryCount?: number
  readonly maxRetries?: number
  readonly ifMatch?: string
  readonly validate: boolean
}

/** A ledger that is opened with so much to read takes seconds; one that a program has open makes a snapshot by itself. */
const MUCH_BYTES = 64 * 1024 * 1024

export const docsSet = defineCommand<Options>({
  name: 'set',
  summary: 'move a document to another state',
  about:
    'Moves a document to a state. A document not seen before is pending. A state that cannot follow is refused, ' +
    `and the refusal is kept in the history.${STATES_TEXT}`,
  arguments: [
    new Argument('<id>', 'id of the document'),
    new Argument('<state>', 'where it goes').choices(DOCUMENT_STATES).argParser(settableState),
  ],
  options: [
    new Option('--adapter <name>', 'which source or stage reports this'),
    new Option('--reason <text>', 'why, for the history'),
    new Option('--metadata <json>', 'an object that is laid over the metadata there is').argParser(
      parseMetadata,
    ),
    new Option('--error-type <name>', 'what kind of error brought it there'),
    new Option('--error-message <text>', 'and its message'),
    new Option('--retry-count <n>', 'how often it was tried again').argParser((text) =>
      wholeNumber('retry-count', text, 0),
    ),
    new Option('--max-retries <n>', 'how often it may be').argParser((text) =>
      wholeNumber('max-retries', text, 0),
    ),
    new Option('--if-match <etag>', 'only if nobody has changed it since: the etag from docs show'),
    new Option('--no-validate', 'take a way that is not declared; the history marks it'),
  ],
  writes: true,
  examples: [
    ['docs set pubmed:123 fetching --adapter pubmed', 'work on it begins'],
    [`docs set pubmed:123 fetched --metadata '{"pages": 12}'`, 'it is there; keep what is known of it'],
    ['docs set pubmed:123 failed --error-type Timeout --error-message "no answer"', 'it went wrong'],
    ['docs set pubmed:123 retrying --actor ann --reason "source is back"', 'try it again'],
  ],
  exits: [
    [2, 'there is no such state'],
    [4, 'the state cannot follow the one it is in, or the etag is not that of --if-match'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, options, [id, state]) {
    const doc_id = id as string
    const ledger = await session.openToChange()
    const before = await ledger.documents.getState(doc_id, options.tenant)
    const document = await ledger.documents.updateState(doc_id, state as LedgerState, {
      tenant_id: options.tenant,
      adapter: options.adapter,
      metadata: options.metadata,
      reason: options.reason,
      error: errorOf(options),
      retry_count: options.retryCount,
      max_retries: options.maxRetries,
      if_match: options.ifMatch,
      validate: options.validate ? undefined : false,
    })
    const { out, notes } = session
    if (session.isJson) await session.json(document)
    else {
      const to = out.paint(stateStyle(document.state), document.state)
      await out.line(`${safeText(doc_id)}: ${before} → ${to}`)
    }
    // A server makes snapshots by itself.
    if (session.serverUrl !== null) return
    const { storage } = await ledger.stats()
    if (storage !== undefined && storage.delta_bytes > MUCH_BYTES) {
      const next = session.hintOf('ledger compact')
      await notes.hint(
        `${bytesText(storage.delta_bytes)} were written since the last snapshot. Next: ${next}`,
      )
    }
  },
})

/** Without a stack: that of this process would explain nothing. */
function errorOf({ errorType, errorMessage }: Options): object | undefined {
  if (errorType === undefined && errorMessage === undefined) return undefined
  return { error_type: errorType ?? 'Error', error_message: errorMessage ?? '' }
}
