import { documentMachine } from './document.ts'
import { jobMachine } from './job.ts'
import { outboxMachine } from './outbox.ts'
import { runMachine } from './run.ts'
import { stepMachine } from './step.ts'
import { workstreamMachine } from './workstream.ts'

/** The six machines by the kind of record they govern. */
export const machines = {
  document: documentMachine,
  job: jobMachine,
  step: stepMachine,
  outbox: outboxMachine,
  run: runMachine,
  workstream: workstreamMachine,
} as const

export type RecordKind = keyof typeof machines
