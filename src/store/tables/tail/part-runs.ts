import { idempotencyClaim } from '../../../core/idempotency.ts'
import type { Birth } from '../../../core/job/birth.ts'
import type { TextPiece } from '../../birth-marks.ts'
import type { BirthRun, Born } from '../birth-runs.ts'
import { bornRow, type FixedSlot, ownText } from '../born-row.ts'
import { ownMovingText } from '../moving-text.ts'
import { dueBefore, rankBefore, type StrideRun } from '../stride-runs.ts'
import type { ChangedJob, DueKey, ReadyKey, WriteSet } from '../tables.ts'
import { bornHead, changedHead, jobOf, movedJob } from './part-jobs.ts'
import { cutAt, line, VALUES } from './part-marks.ts'

// Jobs that are alike: what they say is written once, as pieces, and what is each one's own as the values in between.

type RunHead = ReturnType<typeof runHead>

/** Columns, where each of them is ready, and which of its values says what. */
function runHead(birth: Birth, slots: readonly FixedSlot[]) {
  const { queue, group, rank } = birth.ready
  const { idempotency_key } = birth
  const of = (slot: FixedSlot) => slots.indexOf(slot)
  const claim =
    idempotency_key === null ? ([idempotencyClaim(null, ''), of('hash')] as const) : KEY_CLAIM(of('key'))
  return [bornHead(bornRow(birth)), queue, group, rank, of('job_id'), ...claim] as const
}

const KEY_CLAIM = (place: number) => [idempotencyClaim('', ''), place] as const

export function runText({ births, pieces }: BirthRun): string {
  const slots = slotsIn(pieces)
  const texts = [
    JSON.stringify(runHead(births[0] as Birth, slots)),
    JSON.stringify(pieces.map(({ before }) => before)),
  ]
  for (let at = 0; at < births.length; at++) texts.push(valuesText(slots, births[at] as Birth))
  return line(...texts)
}

function slotsIn<Slot>(pieces: readonly TextPiece<Slot>[]): readonly Slot[] {
  return pieces.flatMap(({ slot }) => slot ?? [])
}

function valuesText(slots: readonly FixedSlot[], birth: Birth): string {
  let text = ''
  for (let at = 0; at < slots.length; at++) {
    text += at === 0 ? VALUES : NEXT_VALUE
    text += ownText(slots[at] as FixedSlot, birth)
  }
  return `[${text}${VALUES}]`
}

const NEXT_VALUE = `${VALUES},${VALUES}`

export function readRun([head = '', pieces = '', ...values]: readonly string[]): readonly Born[] {
  const [columns, queue, group, rank, idAt, prefix, claimAt] = JSON.parse(head) as RunHead
  const before = JSON.parse(pieces) as readonly string[]
  return values.map((text) => {
    const own = cutAt(VALUES, text)
    const job_id = JSON.parse(own[idAt] as string) as string
    const row = jobOf(job_id, columns, textOf(before, own), null)
    const { tenant_id } = row
    const key = prefix + JSON.parse(own[claimAt] as string)
    return { row, ready: { queue, tenant_id, group, rank, job_id }, claim: { tenant_id, key, owner: job_id } }
  })
}

/** The pieces with the values in between. */
function textOf(before: readonly string[], own: readonly string[]): string {
  let text = before[0] as string
  for (let at = 1; at < before.length; at++) text += (own[at - 1] as string) + (before[at] as string)
  return text
}

type StridesHead = ReturnType<typeof stridesHead>

function stridesHead({ columns, place, due, wasDue }: StrideRun) {
  return [changedHead(columns), place?.queue ?? null, place?.group ?? null, due, wasDue] as const
}

export function stridesText(run: StrideRun): string {
  const { strides, pieces, place, wasDue } = run
  const slots = slotsIn(pieces)
  const texts = [JSON.stringify(stridesHead(run)), JSON.stringify(pieces.map(({ before }) => before))]
  for (const stride of strides) {
    let text = `[${VALUES}${JSON.stringify(stride.job_id)}`
    for (const slot of slots) text += NEXT_VALUE + ownMovingText(slot, stride)
    if (place !== null) text += NEXT_VALUE + rankBefore(stride)
    if (wasDue) text += NEXT_VALUE + dueBefore(stride)
    texts.push(`${text}${VALUES}]`)
  }
  return line(...texts)
}

export function withStrides<S extends Pick<WriteSet, 'jobs' | 'ready' | 'due'>>(
  set: S,
  runs: readonly (readonly string[])[],
): S {
  if (runs.length === 0) return set
  const jobs: ChangedJob[] = []
  const drops: ReadyKey[] = []
  const due = { adds: [] as DueKey[], drops: [] as DueKey[] }
  for (const [head = '', pieces = '', ...values] of runs) {
    const [columns, queue, group, due_at, wasDue] = JSON.parse(head) as StridesHead
    const before = JSON.parse(pieces) as readonly string[]
    for (const text of values) {
      const [id = '', ...own] = cutAt(VALUES, text)
      const job = movedJob(JSON.parse(id), columns, textOf(before, own))
      const { tenant_id, job_id } = job
      jobs.push(job)
      let at = before.length - 1
      if (queue !== null && group !== null)
        drops.push({ queue, tenant_id, group, rank: Number(own[at++]), job_id })
      if (due_at !== null) due.adds.push({ due_at, tenant_id, job_id })
      if (wasDue) due.drops.push({ due_at: Number(own[at]), tenant_id, job_id })
    }
  }
  return {
    ...set,
    jobs: [...jobs, ...set.jobs],
    ready: { adds: set.ready.adds, drops: [...drops, ...set.ready.drops] },
    due: { adds: [...due.adds, ...set.due.adds], drops: [...due.drops, ...set.due.drops] },
  }
}
