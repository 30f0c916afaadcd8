import { type LedgerRecord, stepKey } from '../../../core/aggregate.ts'
import type { AuditEntry } from '../../../core/audit.ts'
import type { JobRecord, OutboxRecord, StepRecord } from '../../../core/job/record.ts'
import { USUAL_JOB, USUAL_ROW, USUAL_STEP } from '../../usual-fields.ts'
import type { Current } from './decode.ts'
import type { ChangeLine, JobFields } from './line.ts'
import { factsOf, type LineFacts, usualAfter, usualJob, usualRow, usualStep } from './usual.ts'

/** The records that a line in the short form puts, complete. Throws when one that it changes is not there. */
export function jobRecords(
  line: ChangeLine,
  entries: readonly AuditEntry[],
  etag: string,
  current: Current,
): readonly LedgerRecord[] {
  if (line.new === undefined && line.set === undefined) return []
  const [first, ...rest] = entries
  if (first === undefined) throw new Error('it has records of a job, and no history')
  const facts = factsOf([first, ...rest], etag)
  return [
    ...(line.new === undefined ? [] : newRecords(line.new, facts)),
    ...(line.set === undefined ? [] : changedRecords(line.set, facts, current)),
  ]
}

function newRecords({ steps = [], outbox = [], job }: JobFields, facts: LineFacts): LedgerRecord[] {
  const refs = job ?? {}
  return [
    ...steps.map((fields, index) => {
      const { step_id, service } = fields as StepRecord
      return {
        ...usualStep({ ...USUAL_STEP }, facts, { step_id, service, index, refs }),
        ...fields,
      } as StepRecord
    }),
    ...outbox.map(
      (fields) =>
        ({ ...usualRow({ ...USUAL_ROW }, facts, fields.outbox_id as string), ...fields }) as OutboxRecord,
    ),
    ...(job === undefined ? [] : [{ ...usualJob({ ...USUAL_JOB }, facts), ...job } as JobRecord]),
  ]
}

function changedRecords(
  { steps = [], outbox = [], job }: JobFields,
  facts: LineFacts,
  current: Current,
): LedgerRecord[] {
  const { tenant_id, job_id } = facts
  const there = <K extends 'job' | 'step' | 'outbox'>(kind: K, id: string) => {
    const before = current({ kind, tenant_id, id })
    if (before === null) throw new Error(`it changes ${kind} ${id}, which is not there`)
    return before
  }
  return [
    ...steps.map((fields) => {
      const id = fields.step_id as string
      return { ...usualAfter(there('step', stepKey(job_id, id)), facts, id), ...fields }
    }),
    ...outbox.map((fields) => {
      const id = fields.outbox_id as string
      return { ...usualAfter(there('outbox', id), facts, id), ...fields }
    }),
    ...(job === undefined ? [] : [{ ...usualAfter(there('job', job_id), facts, ''), ...job }]),
  ]
}
