import type { RecordKey } from './aggregate.ts'
import type { Decision, Given } from './decision.ts'
import { decideDocument, type UpdateDocument } from './document/decide.ts'
import { decideImport, type ImportAnswer, type ImportDocuments } from './document/import.ts'
import type { DocumentRecord } from './document/record.ts'
import type { GroupCommand, GroupRecord } from './group/commands.ts'
import { decideGroup } from './group/decide.ts'
import type { AnswerOf, JobCommand } from './job/commands.ts'
import { decideJob } from './job/decide.ts'
import { present } from './must.ts'
import { decideQueue, type SteerQueue } from './queue/decide.ts'
import type { QueueRecord } from './queue/record.ts'
import type { FireAnswer, FireSchedule, ScheduleCommand } from './schedule/commands.ts'
import { decideSchedule } from './schedule/decide.ts'
import type { ScheduleRecord } from './schedule/record.ts'
import { decideToken, type TokenCommand } from './token/decide.ts'
import type { TokenRecord } from './token/record.ts'

/** Everything that can be asked of the ledger. */
export type Command =
  | UpdateDocument
  | ImportDocuments
  | SteerQueue
  | ScheduleCommand
  | TokenCommand
  | GroupCommand
  | JobCommand

export type Answer<C extends Command> = C extends JobCommand
  ? AnswerOf[C['type']]
  : C extends ImportDocuments
    ? ImportAnswer
    : C extends SteerQueue
      ? QueueRecord
      : C extends FireSchedule
        ? FireAnswer
        : C extends ScheduleCommand
          ? ScheduleRecord
          : C extends TokenCommand
            ? TokenRecord
            : C extends GroupCommand
              ? Extract<GroupRecord, { readonly kind: C['kind'] }>
              : DocumentRecord

/** The kernel: what is there, what is asked, what follows. */
export function decide<C extends Command>(command: C, given: Given): Decision<Answer<C>> {
  return decideAny(command, given) as Decision<Answer<C>>
}

function decideAny(command: Command, given: Given): Decision<unknown> {
  switch (command.type) {
    case 'updateDocument':
      return decideDocument(command, given)
    case 'importDocuments':
      return decideImport(command, given)
    case 'steerQueue':
      return decideQueue(command, given)
    case 'putSchedule':
    case 'moveSchedule':
    case 'fireSchedule':
      return decideSchedule(command, given)
    case 'mintToken':
    case 'revokeToken':
      return decideToken(command, given)
    case 'createGroup':
    case 'moveGroup':
    case 'sealGroup':
    case 'annotateGroup':
    case 'followGroup':
      return decideGroup(command, given)
    default:
      return decideJob(command, given)
  }
}

/** What a command is about: the aggregate to load for it. Of many documents the first, the rest is asked for. */
export function keyOf(command: Command): RecordKey {
  const { tenant_id } = command
  switch (command.type) {
    case 'updateDocument':
      return { kind: 'document', tenant_id, id: command.doc_id }
    case 'importDocuments':
      return {
        kind: 'document',
        tenant_id,
        id: present(command.past[0], 'an import has a transition').doc_id,
      }
    case 'steerQueue':
      return { kind: 'queue', tenant_id, id: command.queue }
    case 'putSchedule':
    case 'moveSchedule':
    case 'fireSchedule':
      return { kind: 'schedule', tenant_id, id: command.schedule_id }
    case 'mintToken':
    case 'revokeToken':
      return { kind: 'token', tenant_id, id: command.token_id }
    case 'createGroup':
    case 'moveGroup':
    case 'sealGroup':
    case 'annotateGroup':
    case 'followGroup':
      return { kind: command.kind, tenant_id, id: command.id }
    case 'submitJob':
      return { kind: 'job', tenant_id, id: command.job_id, isFresh: command.isFreshId }
    default:
      return { kind: 'job', tenant_id, id: command.job_id }
  }
}
