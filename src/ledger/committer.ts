import type { RecordKey } from '../core/aggregate.ts'
import { decideBatch } from '../core/batch.ts'
import { type Answer, type Command, decide } from '../core/command.ts'
import type { Refusal } from '../core/refusal.ts'
import { Unsupported } from '../errors/input-errors.ts'
import { errorOf } from '../errors/refusal-errors.ts'
import type { Outcome, Store } from '../store/store.ts'
import type { Logger } from '../world/logger.ts'

/** Most commands a batch may hold: it is one write, and everybody else waits for it. */
const LARGEST_BATCH = 1000

/** The one way in: command → decision → commit. A refusal comes out as the exception of its code. */
export class Committer {
  readonly store: Store
  readonly #logger: Logger

  constructor(store: Store, logger: Logger) {
    this.store = store
    this.#logger = logger
  }

  async run<C extends Command>(command: C): Promise<Answer<C>> {
    const outcome = await this.store.transact([keyOf(command)], (given) => decide(command, given))
    return this.answerOf(outcome)
  }

  /** All commands or none; each sees what the ones before it did. */
  async runAll(commands: readonly Command[]): Promise<readonly unknown[]> {
    if (!this.store.capabilities.batch) {
      throw new Unsupported('batches', 'Send the commands one by one, or use an engine with transactions.')
    }
    if (commands.length > LARGEST_BATCH) {
      throw new Unsupported(
        `batches of ${commands.length} commands`,
        `Split it: ${LARGEST_BATCH} is the most one batch may hold.`,
      )
    }
    return this.answerOf(
      await this.store.transact(commands.map(keyOf), (given) => decideBatch(commands, given)),
    )
  }

  answerOf<A>(outcome: Outcome<A>): A {
    if (outcome.ok) return outcome.answer
    this.logRefusal(outcome.refusal)
    throw errorOf(outcome.refusal)
  }

  logRefusal({ code, message, details }: Refusal): void {
    this.#logger.warn({ code, details }, message)
  }
}

function keyOf(command: Command): RecordKey {
  return command.type === 'updateDocument'
    ? { kind: 'document', tenant_id: command.tenant_id, id: command.doc_id }
    : { kind: 'job', tenant_id: command.tenant_id, id: command.job_id }
}
