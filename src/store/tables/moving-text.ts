import { type Alike, jobSinceOf, Stride } from '../../core/job/stride.ts'
import { toIso } from '../../core/time.ts'
import { CutText, joined, type Mark, markedStride, piecesBetween, type TextPiece } from '../birth-marks.ts'
import { encodeMoving } from './job-codec.ts'
import { jobText, stepText } from './record-text.ts'

// What is written of jobs that go on as others did is put together from pieces (birth-marks.ts), and nobody makes their records.

/** What is different from job to job, and from moment to moment. */
export type MovingSlot = 'at' | 'due' | 'rank' | 'since' | 'etag' | 'lease' | 'output'

export type MovingPiece = TextPiece<MovingSlot>

type OfMoment = 'at' | 'due'

/** What `encodeMoving` says of it. */
export function movingOf(stride: Stride): string {
  const job = textOf(textsOf(stride).job, stride)
  if (job === null) return encodeMoving(stride, stride.birth) as string
  let steps = ''
  let last = Number.POSITIVE_INFINITY
  // One step comes after the other, and of each the last says all.
  for (let one: Alike = stride; one instanceof Stride; one = one.before) {
    const { step_index } = one.leg.step
    if (step_index >= last) continue
    last = step_index
    const text = textOf(textsOf(one).step, one) ?? stepTextOf(one)
    steps = `"${step_index}":${text}${steps === '' ? '' : ','}${steps}`
  }
  return `{"job":${job},"steps":{${steps}}}`
}

/**
 * What `encodeMoving` says of all that took this stride at the same time, of which there are so many; null while there are few, and where
 * other steps are told of as well, which others may have taken at other times.
 */
export function movingPieces(stride: Stride, many: number): readonly MovingPiece[] | null {
  const { step_index } = stride.leg.step
  for (let one: Alike = stride; one instanceof Stride; one = one.before) {
    if (one.leg.step.step_index !== step_index) return null
  }
  const { job, step } = textsOf(stride)
  const ofJob = piecesAt(job, stride, many)
  const ofStep = piecesAt(step, stride, many)
  if (ofJob === null || ofStep === null) return null
  const texts = ['{"job":', ofJob, `,"steps":{"${step_index}":`, ofStep, '}}']
  return inOne(texts, JSON.stringify(stride.etag))
}

/** Pieces and texts as pieces; all of them have the same etag. */
function inOne(parts: readonly (string | readonly MovingPiece[])[], etag: string): readonly MovingPiece[] {
  const all: MovingPiece[] = []
  let text = ''
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part
      continue
    }
    for (const { before, slot } of part) {
      text += before
      if (slot === 'etag') text += etag
      else if (slot !== null) {
        all.push({ before: text, slot })
        text = ''
      }
    }
  }
  all.push({ before: text, slot: null })
  return all
}

interface Texts {
  readonly job: CutText<MovingSlot, OfMoment>
  readonly step: CutText<MovingSlot, OfMoment>
}

const texts = new WeakMap<Stride['leg'], Texts>()

function textsOf(stride: Stride): Texts {
  let known = texts.get(stride.leg)
  if (known === undefined) {
    known = {
      job: new CutText(() => piecesOf(stride, jobTextOf)),
      step: new CutText(() => piecesOf(stride, stepTextOf)),
    }
    texts.set(stride.leg, known)
  }
  return known
}

function textOf(text: CutText<MovingSlot, OfMoment>, stride: Stride): string | null {
  const pieces = piecesAt(text, stride, 1)
  return pieces === null ? null : joined(pieces, ownMovingText, stride)
}

function piecesAt(
  text: CutText<MovingSlot, OfMoment>,
  { now, due_at }: Stride,
  many: number,
): readonly MovingPiece[] | null {
  const moment = () => ({ at: JSON.stringify(toIso(now)), due: JSON.stringify(due_at) })
  return text.pieces(now, moment, many)
}

function jobTextOf({ job, birth }: Stride): string {
  return jobText(job, birth.job)
}

function stepTextOf({ step, birth }: Stride): string {
  return stepText(step, birth.steps[step.step_index] ?? {})
}

function piecesOf(like: Stride, write: (stride: Stride) => string): readonly TextPiece<MovingSlot>[] {
  return piecesBetween<MovingSlot>(write(like), (marks) => {
    const stride = markedStride(like, marks)
    stride.written(String(marks.first))
    const text = write(stride)
    return { slots: slotsOf(stride).filter(([, mark]) => text.includes(mark)), text: () => text }
  })
}

function slotsOf(stride: Stride): readonly Mark<MovingSlot>[] {
  const since = jobSinceOf(stride)
  const slots: Mark<MovingSlot>[] = [
    ['at', JSON.stringify(toIso(stride.now))],
    ['rank', String(stride.birth.ready.rank)],
    ['etag', JSON.stringify(stride.etag)],
    ['lease', JSON.stringify(stride.lease_id)],
  ]
  if (since !== stride.now) slots.push(['since', JSON.stringify(toIso(since))])
  if (stride.due_at !== null) slots.push(['due', JSON.stringify(stride.due_at)])
  if (stride.output !== null) slots.push(['output', JSON.stringify(stride.output)])
  return slots
}

/** What is its own, as JSON. */
export function ownMovingText(slot: MovingSlot, stride: Stride): string {
  switch (slot) {
    case 'rank':
      return String(stride.birth.ready.rank)
    case 'since':
      return JSON.stringify(toIso(jobSinceOf(stride)))
    case 'etag':
      return JSON.stringify(stride.etag)
    case 'lease':
      return JSON.stringify(stride.lease_id)
    case 'output':
      return JSON.stringify(stride.output)
    default:
      throw new Error(`what all of a moment have in common is in the pieces: ${slot}`)
  }
}
