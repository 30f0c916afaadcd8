import { describe, expect, it } from 'vitest'
import type { DurationRow } from '../durations.ts'
import { HOUR_MS, MINUTE_MS, toIso } from '../time.ts'
import { protocolKey, type RadarCell, type RadarFacts, radarOf } from './radar.ts'
import type { SeenJob, SeenStep } from './seen-job.ts'

const NOW = Date.UTC(2025, 0, 2, 3, 4, 5)

const STAGES = [
  { stage: 'load', stage_index: 0, service: 'loader' },
  { stage: 'parse', stage_index: 1, service: 'parser' },
]

function job(job_id: string, more: Partial<SeenJob> = {}): SeenJob {
  return {
    tenant_id: 't1',
    job_id,
    protocol_id: 'pdf.v1',
    pipeline_name: 'pdf',
    workstream_id: null,
    state: 'IN_PROGRESS',
    stage: 'load',
    stage_index: 0,
    since: toIso(NOW - MINUTE_MS),
    is_held: false,
    ...more,
  }
}

function step(job_id: string, more: Partial<SeenStep> = {}): SeenStep {
  return {
    tenant_id: 't1',
    job_id,
    stage: 'load',
    stage_index: 0,
    service: 'loader',
    state: 'IN_PROGRESS',
    since: toIso(NOW - MINUTE_MS),
    ...more,
  }
}

function radar(more: Partial<RadarFacts> = {}) {
  return radarOf({
    by: 'pipeline',
    now: NOW,
    endedFrom: NOW - HOUR_MS,
    isMore: false,
    open: [],
    begun: [],
    ended: [],
    stages: new Map([[protocolKey(job('any')), STAGES]]),
    durations: [],
    ...more,
  })
}

function took(adapter: string | null, p99_seconds: number, count = 20): DurationRow {
  const rest = { mean_seconds: 1, p50_seconds: 1, p95_seconds: 1, max_seconds: 1 }
  return { kind: 'step', state: 'IN_PROGRESS', adapter, count, p99_seconds, ...rest }
}

const cell = (stage: string, stage_index: number, more: Partial<RadarCell> = {}): RadarCell => ({
  stage,
  stage_index,
  waiting: 0,
  running: 0,
  retrying: 0,
  oldest_since: null,
  oldest_job_id: null,
  stuck: 0,
  stuck_after_seconds: null,
  passed: 0,
  failed: 0,
  ...more,
})

describe('a radar', () => {
  it('has nothing to show of nothing', () => {
    expect(radar()).toStrictEqual({
      by: 'pipeline',
      as_of: toIso(NOW),
      ended_from: toIso(NOW - HOUR_MS),
      is_more: false,
      rows: [],
    })
  })

  it('shows where each open job stands, also the stages where none does', () => {
    const oldest = toIso(NOW - 2 * MINUTE_MS)
    const { rows } = radar({
      open: [job('waits'), job('runs'), job('acks'), job('fails', { since: toIso(NOW) }), job('goes out')],
      begun: [
        step('runs'),
        step('acks', { state: 'AWAITING_ACK', since: oldest }),
        step('fails', { state: 'FAILED_RETRY' }),
        step('goes out', { state: 'DISPATCHING' }),
      ],
    })
    expect(rows).toStrictEqual([
      {
        tenant_id: 't1',
        row: 'pdf',
        filter: { pipeline_name: 'pdf' },
        open: 5,
        cells: [
          cell('load', 0, {
            waiting: 2,
            running: 2,
            retrying: 1,
            oldest_since: oldest,
            oldest_job_id: 'acks',
            stuck_after_seconds: 3600,
          }),
          cell('parse', 1),
        ],
      },
    ])
  })

  it('goes by the step rather than by the job, which was read before it', () => {
    const { rows } = radar({
      open: [job('moved on')],
      begun: [step('moved on', { stage: 'parse', stage_index: 1, service: 'parser' })],
    })
    expect(rows[0]?.cells.map(({ running }) => running)).toEqual([0, 1])
  })

  it('calls stuck what stands for longer than 99 of 100 attempts took, or an hour, unless it is held', () => {
    const since = toIso(NOW - 2 * MINUTE_MS)
    const jobs = [job('a', { since }), job('b', { since, is_held: true }), job('c'), job('d')]
    const begun = [step('d', { since, state: 'FAILED_RETRY' })]
    const stuck = (durations: readonly DurationRow[]) => {
      const [load] = radar({ open: jobs, begun, durations }).rows[0]?.cells ?? []
      return [load?.stuck, load?.stuck_after_seconds]
    }
    expect(stuck([])).toEqual([0, 3600])
    expect(stuck([took('loader', 90)])).toEqual([2, 90])
    expect(stuck([took('loader', 120)])).toEqual([0, 120])
    // Too few to go by, all services as one, another service.
    expect(stuck([took('loader', 90, 19), took(null, 90), took('parser', 90)])).toEqual([0, 3600])
  })

  it('counts what ended in every stage that it got past, and where it failed', () => {
    const parsing = { stage: 'parse', stage_index: 1 }
    const { rows } = radar({
      ended: [
        job('done', { ...parsing, state: 'SUCCEEDED' }),
        job('failed', { ...parsing, state: 'FAILED_FINAL' }),
        job('failed at once', { state: 'FAILED_FINAL' }),
        job('cancelled', { ...parsing, state: 'CANCELLED' }),
      ],
    })
    expect(rows[0]?.open).toBe(0)
    expect(rows[0]?.cells).toEqual([
      cell('load', 0, { passed: 3, failed: 1 }),
      cell('parse', 1, { passed: 1, failed: 1 }),
    ])
  })

  it('has a row for each protocol of jobs without a pipeline, by tenant and name', () => {
    const open = [
      job('1', { tenant_id: 't2' }),
      job('2', { pipeline_name: null }),
      job('3', { pipeline_name: null, protocol_id: 'a.v1' }),
      job('4'),
      job('5', { protocol_id: 'pdf.v2', stage: 'scan' }),
      job('6', { protocol_id: 'pdf.v3', stage: 'fetch' }),
    ]
    const { rows } = radar({ open })
    expect(rows.map(({ tenant_id, row, filter, open }) => [tenant_id, row, filter, open])).toEqual([
      ['t1', 'a.v1', { protocol_id: 'a.v1' }, 1],
      ['t1', 'pdf', { pipeline_name: 'pdf' }, 3],
      ['t1', 'pdf.v1', { protocol_id: 'pdf.v1' }, 1],
      ['t2', 'pdf', { pipeline_name: 'pdf' }, 1],
    ])
    // Three versions of a pipeline: stages of the same place go by their names.
    expect(rows[1]?.cells.map(({ stage }) => stage)).toEqual(['fetch', 'load', 'scan', 'parse'])
  })

  it('has a row for each workstream, and none for jobs without', () => {
    const open = [job('1', { workstream_id: 'w' }), job('2')]
    expect(radar({ by: 'workstream', open }).rows).toMatchObject([
      { row: 'w', filter: { workstream_id: 'w' }, open: 1 },
    ])
  })

  it('two rows of one name are two rows', () => {
    const open = [job('1'), job('2', { pipeline_name: null, protocol_id: 'pdf' })]
    expect(radar({ open }).rows.map(({ filter }) => filter)).toEqual([
      { pipeline_name: 'pdf' },
      { protocol_id: 'pdf' },
    ])
  })

  it('shows 500 rows, those with the most open jobs, and says that there are more', () => {
    const open = Array.from({ length: 501 }, (_, i) => job(`${i}`, { pipeline_name: `p${i}` }))
    const { rows, is_more } = radar({ open: [...open, job('again', { pipeline_name: 'p500' })] })
    expect([rows.length, is_more]).toEqual([500, true])
    expect(rows.some(({ row }) => row === 'p500')).toBe(true)
    expect(radar({ isMore: true }).is_more).toBe(true)
  })
})
