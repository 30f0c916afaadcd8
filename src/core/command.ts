import type { RecordKey } from './aggregate.ts'
import type { Decision, Given } from './decision.ts'
import { decideDocument, type UpdateDocument } from './document/decide.ts'
import type { DocumentRecord } from './document/record.ts'
import type { AnswerOf, JobCommand } from './job/commands.ts'
import { decideJob } from './job/decide.ts'

/** Everything that can be asked of the ledger. */
export type Command = UpdateDocument | JobCommand

export type Answer<C extends Command> = C extends JobCommand ? AnswerOf[C['type']] : DocumentRecord

/** The kernel: what is there, what is asked, what follows. */
export function decide<C extends Command>(command: C, given: Given): Decision<Answer<C>> {
  return (
    command.type === 'updateDocument' ? decideDocument(command, given) : decideJob(command, given)
  ) as Decision<Answer<C>>
}

/** What a command is about: the aggregate to load for it. */
export function keyOf(command: Command): RecordKey {
  return command.type === 'updateDocument'
    ? { kind: 'document', tenant_id: command.tenant_id, id: command.doc_id }
    : { kind: 'job', tenant_id: command.tenant_id, id: command.job_id }
}
