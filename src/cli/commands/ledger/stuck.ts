import { Option } from 'commander'
import type { LedgerState } from '../../../core/document/states.ts'
import { defineCommand } from '../../define-command.ts'
import { hours } from '../../options/numbers.ts'
import { documentStates } from '../../options/state-list.ts'
import { DOCUMENT_STATES, STATES_TEXT } from '../../options/states.ts'
import { safeJson, safeText } from '../../output/safe-text.ts'
import { countOf } from '../../output/words.ts'

interface Options {
  readonly hours?: number
  readonly state?: readonly LedgerState[]
  readonly adapter?: string
  readonly exitCode?: boolean
}

const FOUND = 1

/** So many lines are written at once. */
const AT_ONCE = 200

export const ledgerStuck = defineCommand<Options>({
  name: 'stuck',
  summary: 'documents that have been in a state for too long',
  about:
    'Lists the documents of a tenant that have been in an unfinished state for so many hours or longer, the longest ' +
    'first: one a line, as in "pubmed:123: fetching (5.00h)". Without --hours each state is measured by its own past: too long is ' +
    'longer than 99 of 100 documents took to leave it (24 hours in states that none has left yet).' +
    STATES_TEXT,
  options: [
    new Option('--hours <n>', 'how long is too long, in every state').argParser(hours),
    new Option('--state <state...>', 'only in these states; several with commas or by repeating it')
      .choices(DOCUMENT_STATES)
      .argParser(documentStates),
    new Option('--adapter <name>', 'only those that this adapter last worked on'),
    new Option('--exit-code', 'end with 1 if there is any, for scripts and monitors'),
  ],
  examples: [
    ['ledger stuck', 'whatever takes longer than usual'],
    ['ledger stuck --hours 5', 'everything unfinished for five hours or more'],
    ['ledger stuck --hours 1 --state fetching --exit-code', 'for a monitor: does it end with 1?'],
  ],
  exits: [
    [0, 'whether there are any or none'],
    [1, 'there are some, with --exit-code'],
  ],
  async run(session, options) {
    const { out, notes } = session
    const ledger = await session.openToRead()
    const query = {
      hours: options.hours,
      tenant_id: options.tenant,
      state: options.state,
      adapter: options.adapter,
    }
    const thresholds = await ledger.documents.stuckThresholds(query)
    await notes.hint(thresholdsText(thresholds), { thresholds })
    let found = 0
    let lines = ''
    for await (const document of ledger.documents.stuck(query)) {
      const { doc_id, state } = document
      lines += session.isJson
        ? `${safeJson(document)}\n`
        : `${safeText(doc_id)}: ${state} (${document.hours.toFixed(2)}h)\n`
      found++
      if (found % AT_ONCE > 0) continue
      await out.write(lines)
      lines = ''
    }
    if (lines !== '') await out.write(lines)
    await notes.hint(found === 0 ? 'Nothing is stuck.' : `${countOf(found, 'document')} stuck.`, { found })
    if (found > 0 && options.exitCode === true) session.found(FOUND)
  },
})

type Threshold = { readonly state: string; readonly hours: number; readonly from: string }

function thresholdsText(thresholds: readonly Threshold[]): string {
  if (thresholds.length === 0) return 'Documents in these states are finished: they are never stuck.'
  const [first] = thresholds
  if (first?.from === 'given')
    return `Stuck is what has been in its state for ${first.hours} hours or longer.`
  const measured = thresholds.filter(({ from }) => from === 'p99')
  const others = thresholds.length - measured.length
  const told = measured.map(({ state, hours: n }) => `${state} ${n.toFixed(2)}h`)
  if (others > 0) told.push(`${measured.length === 0 ? 'all states' : 'all others'} 24h`)
  return `Stuck is what takes longer than 99 of 100 documents did: ${told.join(', ')}.`
}
