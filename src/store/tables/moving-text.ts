import { type Alike, jobSinceOf, Stride } from '../../core/job/stride.ts'
import { toIso } from '../../core/time.ts'
import { CutText, joined, type Mark, markedStride, piecesBetween, type TextPiece } from '../birth-marks.ts'
import { encodeMoving } from './job-codec.ts'
import { jobText, stepText } from './record-text.ts'

// What is written of jobs that go on as others did is put together from pieces (birth-marks.ts), and nobody makes their records.

/** What is different from job to job, and from moment to moment. */
type Slot = 'at' | 'due' | 'rank' | 'since' | 'etag' | 'lease' | 'output'

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

interface Texts {
  readonly job: CutText<Slot, OfMoment>
  readonly step: CutText<Slot, OfMoment>
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

function textOf(text: CutText<Slot, OfMoment>, stride: Stride): string | null {
  const { now, due_at } = stride
  const pieces = text.pieces(now, () => ({ at: JSON.stringify(toIso(now)), due: JSON.stringify(due_at) }))
  return pieces === null ? null : joined(pieces, ownText, stride)
}

function jobTextOf({ job, birth }: Stride): string {
  return jobText(job, birth.job)
}

function stepTextOf({ step, birth }: Stride): string {
  return stepText(step, birth.steps[step.step_index] ?? {})
}

function piecesOf(like: Stride, write: (stride: Stride) => string): readonly TextPiece<Slot>[] {
  return piecesBetween<Slot>(write(like), (marks) => {
    const stride = markedStride(like, marks)
    stride.written(String(marks.first))
    const text = write(stride)
    return { slots: slotsOf(stride).filter(([, mark]) => text.includes(mark)), text: () => text }
  })
}

function slotsOf(stride: Stride): readonly Mark<Slot>[] {
  const since = jobSinceOf(stride)
  const slots: Mark<Slot>[] = [
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

function ownText(slot: Slot, stride: Stride): string {
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
