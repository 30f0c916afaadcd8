// Where everything is in the picture of a job's attempts over time: a row for each step, its attempts one after the other, each
// made of what was spent on handing it out, on waiting for an answer, and on the work; between them, what was waited.
import type { AttemptTold } from '../../../src/core/job/attempts-told.ts'
import { span } from '../format/time.ts'

export type SegmentKind = 'wait' | 'dispatch' | 'ack' | 'run' | 'backoff'

interface Segment {
  readonly kind: SegmentKind
  /** Epoch milliseconds. */
  readonly from: number
  readonly until: number
  readonly x: number
  readonly width: number
}

export interface Bar {
  readonly attempt: AttemptTold
  readonly segments: readonly Segment[]
  readonly isOpen: boolean
  readonly x: number
  readonly width: number
}

export interface Row {
  readonly step_id: string
  readonly step_index: number
  readonly bars: readonly Bar[]
  /** Waits before the first attempt, and between attempts. */
  readonly gaps: readonly Segment[]
}

interface Tick {
  readonly x: number
  /** Since the beginning. */
  readonly label: string
}

export interface Gantt {
  readonly rows: readonly Row[]
  readonly ticks: readonly Tick[]
  readonly from: number
  readonly until: number
}

export interface GanttInput {
  readonly steps: readonly { readonly step_id: string; readonly step_index: number }[]
  readonly attempts: readonly AttemptTold[]
  /** When the job was made, and when it ended; null while it has not. Epoch milliseconds. */
  readonly begun: number
  readonly ended: number | null
  readonly now: number
  /** In pixels. */
  readonly width: number
}

/** So that what took no time is still seen. */
const LEAST_PX = 3
const TICK_PX = 90

export function layOut({ steps, attempts, begun, ended, now, width }: GanttInput): Gantt {
  const known = attempts.flatMap(timesOf)
  const from = Math.min(begun, ...known)
  // Clocks of page and server may differ a little; nothing ends before it began.
  const until = Math.max(from + 1, ended ?? now, ...known)
  const scale: Scale = { from, until, width }
  const byStep = Map.groupBy(attempts, ({ step_id }) => step_id)
  const rows = steps.map(({ step_id, step_index }, i) => {
    const own = byStep.get(step_id) ?? []
    const bars = own.map((attempt) => barOf(attempt, scale, ended))
    return { step_id, step_index, bars, gaps: [...firstWait(own, i, begun, scale), ...backoffs(own, scale)] }
  })
  return { rows, ticks: ticksOf(scale), from, until }
}

interface Scale {
  readonly from: number
  readonly until: number
  readonly width: number
}

function timesOf({ dispatched_at, sent_at, acked_at, ended_at }: AttemptTold): number[] {
  return [dispatched_at, sent_at, acked_at, ended_at].flatMap((at) => (at === null ? [] : [Date.parse(at)]))
}

function placeOf(ms: number, { from, until, width }: Scale): number {
  return ((ms - from) / (until - from)) * width
}

function segment(kind: SegmentKind, from: number, until: number, scale: Scale): Segment {
  const x = placeOf(from, scale)
  return { kind, from, until, x, width: Math.max(0, placeOf(until, scale) - x) }
}

function barOf(attempt: AttemptTold, scale: Scale, jobEnded: number | null): Bar {
  const { dispatched_at, sent_at, acked_at, ended_at } = attempt
  const isOpen = ended_at === null && jobEnded === null
  const end = ended_at === null ? scale.until : Date.parse(ended_at)
  // What has no end of its own goes on until the next thing that is known.
  const begins = [
    ['dispatch', dispatched_at],
    ['ack', sent_at],
    ['run', acked_at],
  ] as const
  const known = begins.flatMap(([kind, at]) => (at === null ? [] : [{ kind, at: Date.parse(at) }]))
  const segments = known.map(({ kind, at }, i) =>
    segment(kind, at, Math.max(at, known[i + 1]?.at ?? end), scale),
  )
  const x = segments[0]?.x ?? 0
  const last = segments.at(-1)
  const right = last === undefined ? x : last.x + last.width
  const width = Math.max(LEAST_PX, right - x)
  return { attempt, segments, isOpen, x: Math.min(x, scale.width - width), width }
}

/** From when the job was made until the first step was begun; while nothing was, until now. */
function firstWait(own: readonly AttemptTold[], i: number, begun: number, scale: Scale): readonly Segment[] {
  if (i > 0) return []
  const [first] = own
  return [segment('wait', begun, first === undefined ? scale.until : Date.parse(first.dispatched_at), scale)]
}

function backoffs(own: readonly AttemptTold[], scale: Scale): readonly Segment[] {
  return own.flatMap(({ ended_at, retry_at }, i) => {
    const next = own[i + 1]
    if (ended_at === null || (next === undefined && retry_at === null)) return []
    const until = next === undefined ? scale.until : Date.parse(next.dispatched_at)
    return [segment('backoff', Date.parse(ended_at), until, scale)]
  })
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12].map((n) => n * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((n) => n * DAY),
]

/** Round times since the beginning, as many as there is room for. */
function ticksOf({ from, until, width }: Scale): readonly Tick[] {
  const length = until - from
  const most = Math.max(1, Math.floor(width / TICK_PX))
  const step = STEPS.find((size) => length / size <= most) ?? length
  const ticks: Tick[] = []
  for (let at = 0; at <= length; at += step) {
    ticks.push({ x: (at / length) * width, label: at === 0 ? '0' : labelOf(at) })
  }
  return ticks
}

function labelOf(ms: number): string {
  return span(ms).replace('.0s', 's')
}
