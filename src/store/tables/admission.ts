import type { Decision, Given } from '../../core/decision.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Inbox } from '../inbox.ts'
import { type Answer, decideAll } from './deciding.ts'
import type { InboxTable } from './tables.ts'
import { Workspace } from './workspace.ts'
import { untilWritten, type Writing, writeOut } from './writing.ts'

type Decide = (request: JsonObject, given: Given) => Decision<JsonObject | null>

/** Requests from transactions of others, and the decisions on them. */
export class TableInbox implements Inbox {
  readonly #table: InboxTable
  readonly #writing: Writing

  constructor(table: InboxTable, writing: Writing) {
    this.#table = table
    this.#writing = writing
  }

  async put(...[transaction, request]: Parameters<Inbox['put']>): Promise<void> {
    await this.#table.put(transaction, JSON.stringify(request))
  }

  admit(limit: number, decide: Decide): Promise<number> {
    return untilWritten(this.#writing, () => this.#admitOnce(limit, decide))
  }

  async answered(limit: number) {
    const rows = await this.#table.answered(limit)
    return rows.map(({ body, answer, created_at }) => ({
      request: JSON.parse(body) as JsonObject,
      answer: JSON.parse(answer) as JsonObject,
      created_at,
    }))
  }

  async #admitOnce(limit: number, decide: Decide): Promise<number> {
    const { tables, ids, time } = this.#writing
    const taken = await tables.take({ what: 'inbox', limit })
    try {
      const { requests } = taken
      if (requests.length === 0) return 0
      const space = new Workspace({ now: time(), ids, remembered: null })
      const askers = requests.map(({ body }) => ({
        decide: (given: Given) => decide(JSON.parse(body), given),
      }))
      const answers = await decideAll(space, askers, (wanted) => taken.load(wanted))
      const inbox = requests.map(({ id }, index) => ({ id, answer: answerText(answers[index] as Answer) }))
      await writeOut(this.#writing, space, (set, onSeen) => taken.write(set, onSeen), { inbox })
      return requests.length
    } finally {
      await taken.release()
    }
  }
}

/** A request that nobody can decide on must not be tried for ever. */
function answerText(answer: Answer): string | null {
  if ('error' in answer) return JSON.stringify({ error: String(answer.error) })
  const { outcome } = answer
  if (!outcome.ok) return JSON.stringify({ refusal: outcome.refusal })
  return outcome.answer === null ? null : JSON.stringify(outcome.answer)
}
