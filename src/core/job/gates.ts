import type { DocumentRecord } from '../document/record.ts'
import { documentTopic } from '../document/topic.ts'
import type { JsonObject } from '../json.ts'
import { describe, type GateFacts, isOpen, looksAtDocument, watched } from '../pipeline/gate.ts'
import type { JobDraft } from './draft.ts'
import { entryFacts } from './entry.ts'
import { endJob } from './finish.ts'
import type { JobRecord, StepGate, StepRecord } from './record.ts'
import { GATE } from './waiting.ts'

/** The document that a job's gate looks at, if it stands at one: whoever advances the job has to load it. */
export function gatedDocument(job: JobRecord, step: StepRecord | undefined): string | null {
  const gate = step?.state === 'PENDING' ? step.gate : null
  if (gate === null || gate === undefined || gate.opened_at !== null || job.doc_id === null) return null
  return looksAtDocument(gate) ? job.doc_id : null
}

/**
 * A job has come to a gate. It is parked there, without a worker, until what the gate asks for is true or the wait is over.
 * What others do to the document is heard of by a signal, and then it is due to be looked at, as it is when it gets there.
 * Answers whether anything changed.
 */
export function settleGate(draft: JobDraft, step: StepRecord, gate: StepGate): boolean {
  const parked = gate.since === null ? park(draft, step, gate) : gate
  listen(draft, step)
  if (gatedDocument(draft.job, step) !== null && draft.document === undefined) {
    // Nobody has loaded it: whoever advances the job will.
    if (parked.looked) draft.setStep(step.step_index, { gate: { ...parked, looked: false } })
    return parked !== gate || parked.looked
  }
  const looked = parked.looked ? parked : look(draft, step, parked)
  if (isOpen(looked, factsOf(draft), looked.seen as JsonObject)) {
    pass(draft, step, looked)
    return true
  }
  if (looked.until !== null && looked.until <= draft.at) {
    const message = `timeout: gate ${gate.name} did not open by ${looked.until} (${describe(gate)})`
    endJob(draft, 'FAILED_FINAL', { code: 'GATE_TIMEOUT', message })
    return true
  }
  return looked !== gate
}

/** An operator opens it. */
export function openGate(draft: JobDraft, step: StepRecord): void {
  const { gate } = step
  if (gate === null || gate.opened_at !== null) return
  pass(draft, step, gate)
}

function park(draft: JobDraft, step: StepRecord, gate: StepGate): StepGate {
  const parked: StepGate = {
    ...gate,
    since: draft.at,
    until: gate.timeout_ms === undefined ? null : draft.after(gate.timeout_ms),
  }
  draft.setStep(step.step_index, { gate: parked })
  draft.remark({ gate: gate.name, parked: true })
  return parked
}

/** Also when a crash came between the step and its job: nobody else would tell it of its document. */
function listen(draft: JobDraft, step: StepRecord): void {
  const doc_id = gatedDocument(draft.job, step)
  if (doc_id === null || draft.job.waits_for.includes(documentTopic(doc_id))) return
  draft.setJob({ waits_for: [...draft.job.waits_for, documentTopic(doc_id)] })
}

/** What it was when the job came to the gate is only known when it is first looked at. */
function look(draft: JobDraft, step: StepRecord, gate: StepGate): StepGate {
  const looked = { ...gate, looked: true, seen: gate.seen ?? watched(gate, factsOf(draft)) }
  draft.setStep(step.step_index, { gate: looked })
  return looked
}

function pass(draft: JobDraft, step: StepRecord, gate: StepGate): void {
  const { job } = draft
  draft.setStep(step.step_index, { gate: { ...gate, opened_at: draft.at } })
  if (job.doc_id !== null) {
    const topic = documentTopic(job.doc_id)
    if (job.waits_for.includes(topic)) {
      draft.setJob({ waits_for: job.waits_for.filter((other) => other !== topic) })
    }
  }
  draft.remark({ gate: gate.name, opened: true })
  passOver(draft, step, gate)
}

function passOver(draft: JobDraft, { step_index }: StepRecord, gate: StepGate): void {
  for (let index = step_index; index < resumeIndex(draft, gate); index++) {
    const message = `Passed over: gate ${gate.name} goes on with ${gate.resume}`
    draft.moveStep(index, 'CANCELLED', {}, { code: GATE, message })
  }
}

function resumeIndex({ steps }: JobDraft, { resume }: StepGate): number {
  return steps.findIndex(({ step_id }) => step_id === resume)
}

/**
 * A crash may come between the stages that a gate passes over: the ones that are left are passed over as well. Answers
 * whether there was one.
 */
export function goOnPassing(draft: JobDraft, step: StepRecord): boolean {
  const before = draft.steps[step.step_index - 1]
  if (before === undefined || !wasPassedOver(before)) return false
  const opened = draft.steps.slice(0, step.step_index).findLast(({ gate }) => gate !== null)?.gate
  if (opened == null || resumeIndex(draft, opened) <= step.step_index) return false
  passOver(draft, step, opened)
  return true
}

function wasPassedOver({ state, last_error_code }: StepRecord): boolean {
  return state === 'CANCELLED' && last_error_code === GATE
}

function factsOf(draft: JobDraft): GateFacts {
  return { entry: entryFacts(draft), metadata: draft.job.metadata, document: documentFacts(draft.document) }
}

function documentFacts(document: DocumentRecord | null | undefined): JsonObject | null {
  return document == null ? null : { ...(document as unknown as JsonObject) }
}
