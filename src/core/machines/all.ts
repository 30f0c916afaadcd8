import { documentMachine } from './document.ts'
import { jobMachine } from './job.ts'
import { outboxMachine } from './outbox.ts'
import { queueMachine } from './queue.ts'
import { runMachine } from './run.ts'
import { scheduleMachine } from './schedule.ts'
import { stepMachine } from './step.ts'
import { tokenMachine } from './token.ts'
import { workstreamMachine } from './workstream.ts'

/** The machines by the kind of record they govern. */
export const machines = {
  document: documentMachine,
  job: jobMachine,
  step: stepMachine,
  outbox: outboxMachine,
  run: runMachine,
  workstream: workstreamMachine,
  queue: queueMachine,
  schedule: scheduleMachine,
  token: tokenMachine,
} as const

export type RecordKind = keyof typeof machines
