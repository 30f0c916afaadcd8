import type { JobAggregate } from '../../../core/aggregate.ts'
import {
  type JobRecord,
  type OutboxRecord,
  PRIORITIES,
  type Ref,
  type StepRecord,
} from '../../../core/job/record.ts'
import { toolOfService } from '../../../core/job/tool-service.ts'
import { activeStep } from '../../../core/job/waiting.ts'
import { isTerminal, nextStates } from '../../../core/machine.ts'
import { jobMachine } from '../../../core/machines/job.ts'
import { describe } from '../../../core/pipeline/gate.ts'
import { fromIso } from '../../../core/time.ts'
import { type Field, fieldLines } from '../../output/fields.ts'
import { safeText } from '../../output/safe-text.ts'
import { stateStyle } from '../../output/state-style.ts'
import { type Column, NEEDED } from '../../output/table.ts'
import type { TextStream } from '../../output/text-stream.ts'
import { bytesText, codedText, sinceText, timeText } from '../../output/words.ts'
import type { Session } from '../../session.ts'
import { leaseText } from './attempts.ts'

/** More of an output is for programs. */
const SHOWN_CHARACTERS = 2000

/** A job as a list of fields. */
export function jobSheet({ out, clock }: Session, { job, steps }: JobAggregate): string {
  const now = clock.now()
  const legal = [...nextStates(jobMachine, job.state)]
  const heading = `${out.paint('bold', safeText(job.job_id))}\n`
  const { about } = jobMachine.states[job.state]
  return (
    heading +
    fieldLines(out, [
      ['state', job.state, about, stateStyle(job.state)],
      ['since', timeText(fromIso(job.state_since)), `for ${sinceText(job.state_since, now)}`],
      ['may go to', legal.length === 0 ? 'none' : legal.join(', ')],
      ['error', codedText(job.error_code, job.error_message), undefined, 'red'],
      ['at step', stepText(job, steps)],
      ['held by', leaseText(activeStep(steps), now)],
      ['gate', ...gateText(activeStep(steps))],
      ...requestFields(job),
      ['created', timeText(fromIso(job.created_at)), `${sinceText(job.created_at, now)} ago`],
      ['tenant', job.tenant_id],
      ['etag', job.etag],
    ])
  )
}

function requestFields(job: JobRecord): readonly Field[] {
  return [
    ['type', job.request_type, `protocol ${job.protocol_id}`],
    ['input', refText(job.input_ref)],
    ['output', refText(job.output_ref)],
    ['payload', job.payload === null ? null : cut(JSON.stringify(job.payload))],
    ['pipeline', job.pipeline_name],
    ['document', job.doc_id],
    ['priority', PRIORITIES[job.priority], job.unlimited ? 'passes all limits' : undefined],
    ['depends on', listed(job.depends_on), `${job.on_dependency_failure} if one does not succeed`],
    ['not before', job.run_at],
    ['expires', job.expires_at],
    ['run', job.run_id],
    ['workstream', job.workstream_id],
    ['schedule', job.schedule_id],
    ['again of', job.again_of],
    ...escalationFields(job),
    ['metadata', Object.keys(job.metadata).length === 0 ? null : cut(JSON.stringify(job.metadata))],
    ['tags', listed(job.tags)],
    ['key', job.idempotency_key],
    ['correlation', job.correlation_id],
  ]
}

/** What it came from, and who got it when it failed. */
function escalationFields({ escalation }: JobRecord): readonly Field[] {
  if (escalation === null) return []
  const { original_job_id, escalated_from, escalation_reason, escalated_to, rungs } = escalation
  const left = rungs.map(({ protocol }) => toolOfService(protocol.request_type) ?? protocol.request_type)
  return [
    ['took over from', escalated_from, escalation_reason ?? undefined],
    ['first was', original_job_id === escalated_from ? null : original_job_id],
    ['taken over by', escalated_to],
    ['if it fails', escalated_to === null ? listed(left) : null, 'would get it, in turn'],
  ]
}

/** The gate that the step it is at stands at. */
function gateText(step: StepRecord | undefined): readonly [string | null, string?] {
  if (step?.gate == null || step.gate.opened_at !== null) return [null]
  const { gate } = step
  const until = gate.until === null ? '' : `, until ${timeText(fromIso(gate.until))} at the latest`
  return [gate.name, `opens when ${describe(gate)}${until}`]
}

function stepText({ state, current_step_id, current_step_index }: JobRecord, steps: readonly StepRecord[]) {
  if (isTerminal(jobMachine, state)) return null
  return `${current_step_id} (${current_step_index + 1} of ${steps.length})`
}

function listed(words: readonly string[]): string | null {
  return words.length === 0 ? null : words.join(', ')
}

function refText(ref: Ref): string {
  return typeof ref === 'string' ? ref : JSON.stringify(ref)
}

function cut(text: string): string {
  return text.length <= SHOWN_CHARACTERS
    ? text
    : `${text.slice(0, SHOWN_CHARACTERS)}… (all of it with --json)`
}

/** What a step came to; nothing when it came to nothing. */
export function outputText(
  out: TextStream,
  { step_id, output, output_file, result_ref }: StepRecord,
): string {
  const where = result_ref === null ? '' : ` ${out.paint('dim', '→')} ${safeText(refText(result_ref))}`
  const what =
    output_file == null
      ? output === null
        ? ''
        : safeText(cut(JSON.stringify(output)))
      : `${bytesText(output_file.size_bytes)} in outputs/${output_file.file}`
  if (what === '' && where === '') return ''
  return `  ${out.paint('dim', safeText(step_id))}  ${what}${where}\n`
}

export const outboxColumns: readonly Column<OutboxRecord>[] = [
  { title: 'STEP', value: ({ step_id }) => step_id, least: 8, worth: NEEDED },
  { title: 'STATE', value: ({ state }) => state, least: 8, worth: NEEDED },
  { title: 'TOPIC', value: ({ topic }) => topic, worth: 1 },
  { title: 'TRIES', value: ({ tries }) => tries, align: 'right', least: 5, worth: 3 },
  {
    title: 'NEXT TRY',
    value: ({ next_try_at, taken_until }) => (taken_until === null ? next_try_at : 'under way'),
    least: 10,
    worth: 2,
  },
  {
    title: 'ERROR',
    value: ({ last_error_code, last_error_message }) => codedText(last_error_code, last_error_message),
    style: () => 'yellow',
    least: 10,
    worth: 4,
  },
]
