// One new job by itself, as the parameters of the function that writes nothing else.
import type { Claim } from '../../core/decision.ts'
import type { CountEntry } from '../live/state-counts.ts'
import type { NewChunk } from '../tables/log-parts.ts'
import type { NewJob, ReadyKey, SlotWrite, WriteSet } from '../tables/tables.ts'
import { textArray } from './binary-array.ts'
import type { Stamp, Value } from './write-values.ts'

export const LONE_PARAMETERS = 29

/** Null when there is anything else to write, or anything unusual about it. */
export function loneValues(set: WriteSet, { writer, batch, process }: Stamp): readonly Value[] | null {
  const lone = loneOf(set)
  if (lone === null) return null
  const { job, place, claim, slot, step, chunk } = lone
  return [
    writer,
    batch,
    set.isNews ? process : null,
    set.at,
    job.tenant_id,
    job.job_id,
    job.state,
    job.changed_at,
    job.request_type,
    job.protocol_id,
    job.doc_id,
    job.run_id,
    job.workstream_id,
    job.holds.length === 0 ? null : textArray(job.holds),
    job.fixed,
    claim.key,
    place.queue,
    place.group,
    place.rank,
    slot.key,
    slot.most,
    step.state,
    step.n,
    chunk.places,
    chunk.first_at,
    chunk.last_at,
    textArray(chunk.tags),
    chunk.sketch,
    chunk.entries,
  ]
}

interface Lone {
  readonly job: NewJob
  readonly place: ReadyKey
  readonly claim: Claim
  readonly slot: SlotWrite
  readonly step: CountEntry
  readonly chunk: NewChunk
}

function loneOf(set: WriteSet): Lone | null {
  const { newJobs, ready, claims, slots, counts, chunk } = set
  if (newJobs.length !== 1 || ready.adds.length !== 1 || claims.length !== 1 || slots.length !== 1)
    return null
  const [job, place, claim, slot] = [newJobs[0], ready.adds[0], claims[0], slots[0]] as [
    NewJob,
    ReadyKey,
    Claim,
    SlotWrite,
  ]
  const step = stepCount(counts, job)
  const isUsual =
    step !== null &&
    chunk !== null &&
    isPlain(job) &&
    isAllThereIs(set) &&
    claim.owner === job.job_id &&
    slot.named === null &&
    slot.add === 1 &&
    place.job_id === job.job_id &&
    [place, claim, slot].every(({ tenant_id }) => tenant_id === job.tenant_id)
  return isUsual ? { job, place, claim, slot, step, chunk } : null
}

/** It has just begun, and the log tells of it. */
function isPlain({ version, is_ended, open_rows, moving, isTold }: NewJob): boolean {
  return version === 1 && !is_ended && open_rows === 0 && moving === null && isTold
}

function isAllThereIs(set: WriteSet): boolean {
  const { jobs, records, rows, ready, due, waits, refusals, signals, delivered, verify, inbox } = set
  const others = [jobs, records, rows, ready.drops, due.adds, due.drops, waits.adds, waits.drops]
  return [...others, refusals, signals, delivered, verify, inbox].every(({ length }) => length === 0)
}

/** The count of its steps, all of which are in one state, where the only other is that of the job. */
function stepCount(counts: readonly CountEntry[], job: NewJob): CountEntry | null {
  if (counts.length !== 2 || counts.some(({ tenant_id }) => tenant_id !== job.tenant_id)) return null
  const ofJob = counts.find(({ kind }) => kind === 'job')
  const ofSteps = counts.find(({ kind }) => kind === 'step')
  return ofJob?.state === job.state && ofJob.n === 1 ? (ofSteps ?? null) : null
}
