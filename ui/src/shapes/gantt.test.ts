import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AttemptTold } from '../../../src/core/job/attempts-told.ts'
import { type GanttInput, layOut } from './gantt.ts'

const T0 = Date.parse('2026-05-01T10:00:00.000Z')
const at = (seconds: number) => new Date(T0 + seconds * 1000).toISOString()

function attempt(over: Partial<AttemptTold>): AttemptTold {
  return {
    step_id: 'ocr',
    step_index: 0,
    attempt_no: 1,
    dispatched_at: at(10),
    sent_at: null,
    acked_at: null,
    ended_at: null,
    outcome: null,
    holder: null,
    error_code: null,
    error_message: null,
    retry_at: null,
    ...over,
  }
}

function input(over: Partial<GanttInput>): GanttInput {
  const steps = [
    { step_id: 'ocr', step_index: 0 },
    { step_id: 'parse', step_index: 1 },
  ]
  return { steps, attempts: [], begun: T0, ended: null, now: T0 + 100_000, width: 1000, ...over }
}

const parts = (segments: readonly { kind: string; x: number; width: number }[] = []) =>
  segments.map(({ kind, x, width }) => [kind, Math.round(x), Math.round(width)])

describe('the picture of attempts', () => {
  it('has what each attempt was made of, after what was waited', () => {
    const whole = attempt({ sent_at: at(20), acked_at: at(40), ended_at: at(90), outcome: 'SUCCEEDED' })
    const { rows } = layOut(input({ attempts: [whole] }))
    expect(parts(rows[0]?.gaps)).toEqual([['wait', 0, 100]])
    expect(parts(rows[0]?.bars[0]?.segments)).toEqual([
      ['dispatch', 100, 100],
      ['ack', 200, 200],
      ['run', 400, 500],
    ])
    expect(rows[0]?.bars[0]).toMatchObject({ x: 100, width: 800, isOpen: false })
    expect(rows[1]).toMatchObject({ bars: [], gaps: [] })
  })

  it('lets what goes on grow with the time', () => {
    const attempts = [attempt({ sent_at: at(20), acked_at: at(50) })]
    const width = (now: number) => layOut(input({ attempts, now })).rows[0]?.bars[0]?.segments.at(-1)?.until
    expect(width(T0 + 60_000)).toBe(T0 + 60_000)
    expect(width(T0 + 75_000)).toBe(T0 + 75_000)
    expect(layOut(input({ attempts })).rows[0]?.bars[0]?.isOpen).toBe(true)
  })

  it('skips what did not happen', () => {
    const [row] = layOut(input({ attempts: [attempt({ ended_at: at(60), outcome: 'FAILED_FINAL' })] })).rows
    expect(parts(row?.bars[0]?.segments)).toEqual([['dispatch', 100, 500]])
  })

  it('shows backoffs between attempts, and the one that is under way', () => {
    const attempts = [
      attempt({ ended_at: at(20), outcome: 'FAILED_RETRY', retry_at: at(50) }),
      attempt({
        attempt_no: 2,
        dispatched_at: at(50),
        ended_at: at(60),
        outcome: 'FAILED_RETRY',
        retry_at: at(150),
      }),
    ]
    const [row] = layOut(input({ attempts })).rows
    expect(parts(row?.gaps)).toEqual([
      ['wait', 0, 100],
      ['backoff', 200, 300],
      ['backoff', 600, 400],
    ])
  })

  it('ends where the job ended', () => {
    const { until, rows } = layOut(input({ ended: T0 + 50_000, attempts: [attempt({})] }))
    expect(until).toBe(T0 + 50_000)
    expect(rows[0]?.bars[0]?.isOpen).toBe(false)
  })

  it('waits from the beginning until now when nothing was begun', () => {
    expect(parts(layOut(input({})).rows[0]?.gaps)).toEqual([['wait', 0, 1000]])
  })

  it('has round times, as many as there is room for', () => {
    const labels = (width: number) => layOut(input({ width })).ticks.map(({ label }) => label)
    expect(labels(1000)).toEqual([
      '0',
      '10s',
      '20s',
      '30s',
      '40s',
      '50s',
      '1m',
      '1m 10s',
      '1m 20s',
      '1m 30s',
      '1m 40s',
    ])
    expect(labels(300)).toEqual(['0', '1m'])
    expect(labels(40)).toEqual(['0'])
  })

  it('keeps everything inside the picture, whatever the times', () => {
    const seconds = fc.double({ min: -5, max: 500, noNaN: true })
    const any = fc.tuple(seconds, fc.option(seconds), fc.option(seconds), fc.option(seconds))
    fc.assert(
      fc.property(fc.array(any, { maxLength: 5 }), fc.integer({ min: 50, max: 2000 }), (times, width) => {
        const attempts = times.map(([dispatched, sent, acked, ended], i) =>
          attempt({
            attempt_no: i + 1,
            dispatched_at: at(dispatched),
            sent_at: sent === null ? null : at(sent),
            acked_at: acked === null ? null : at(acked),
            ended_at: ended === null ? null : at(ended),
          }),
        )
        const { rows, ticks } = layOut(input({ attempts, width }))
        const all = rows.flatMap(({ bars, gaps }) => [
          ...bars,
          ...gaps,
          ...bars.flatMap((bar) => bar.segments),
        ])
        for (const { x, width: own } of all) {
          expect(x).toBeGreaterThanOrEqual(-0.001)
          expect(own).toBeGreaterThanOrEqual(0)
          expect(x + own).toBeLessThanOrEqual(width + 0.001)
        }
        expect(ticks.every(({ x }) => x >= 0 && x <= width)).toBe(true)
      }),
    )
  })
})
