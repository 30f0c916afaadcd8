import { describe, expect, test } from 'vitest'
import type { RadarCell, RadarRow } from '../../../src/core/radar/radar.ts'
import { emphasised, errorShareOf, heatOf, matrixOf, mergedOrder } from './radar-matrix.ts'
import { cellInUrl, keyOfRow, NO_PLACE, placeAfter, placeInUrl } from './radar-place.ts'
import { nameOfCell, sentencesOf } from './radar-words.ts'

const NOW = Date.parse('2026-01-01T00:02:00Z')

function cell(stage: string, over: Partial<RadarCell> = {}): RadarCell {
  return {
    stage,
    stage_index: 0,
    waiting: 0,
    running: 0,
    retrying: 0,
    oldest_since: null,
    oldest_job_id: null,
    stuck: 0,
    stuck_after_seconds: null,
    passed: 0,
    failed: 0,
    ...over,
  }
}

function row(name: string, cells: readonly RadarCell[], tenant_id = 't'): RadarRow {
  return { tenant_id, row: name, filter: { pipeline_name: name }, open: 0, cells }
}

function named(name: string, ...stages: readonly string[]): RadarRow {
  return row(
    name,
    stages.map((stage) => cell(stage)),
  )
}

describe('columns', () => {
  test('rows with the same stages share them', () => {
    const { bands } = matrixOf([named('a', 'get', 'parse'), named('b', 'get', 'parse')])
    expect(bands).toHaveLength(1)
    expect(bands[0]?.columns).toEqual(['get', 'parse'])
    expect(bands[0]?.rows.map(({ row: { row: name } }) => name)).toEqual(['a', 'b'])
  })

  test('rows that have nothing in common have their own', () => {
    const { bands } = matrixOf([named('a', 'get', 'parse'), named('b', 'write', 'send')])
    expect(bands.map(({ columns }) => columns)).toEqual([
      ['get', 'parse'],
      ['write', 'send'],
    ])
  })

  test('a row that lacks a stage has a hole there, and one more stage becomes a column of all', () => {
    const { bands } = matrixOf([named('a', 'get', 'embed'), named('b', 'get', 'ocr', 'embed')])
    expect(bands[0]?.columns).toEqual(['get', 'ocr', 'embed'])
    const [a, b] = bands[0]?.rows ?? []
    expect(a?.cells.map((one) => one?.cell.stage ?? null)).toEqual(['get', null, 'embed'])
    expect(b?.cells.map((one) => one?.cell.stage ?? null)).toEqual(['get', 'ocr', 'embed'])
  })

  test('rows that have little in common do not share columns', () => {
    const { bands } = matrixOf([named('a', 'get', 'ocr', 'parse', 'embed'), named('b', 'embed')])
    expect(bands).toHaveLength(2)
  })

  test('the same name of several tenants stands together', () => {
    const one = [cell('x')]
    const { bands } = matrixOf([row('a', one), row('b', one), row('a', one, 'u')])
    expect(bands[0]?.rows.map(({ row: { tenant_id, row: name } }) => [name, tenant_id])).toEqual([
      ['a', 't'],
      ['a', 'u'],
      ['b', 't'],
    ])
  })

  test('workstreams that are over come last', () => {
    const stream = (name: string, open: number): RadarRow => ({
      ...row(name, [cell('x')]),
      filter: { workstream_id: name },
      open,
    })
    const { bands } = matrixOf([stream('a', 0), stream('b', 1)])
    expect(bands[0]?.rows.map(({ row: { row: name } }) => name)).toEqual(['b', 'a'])
  })

  test('rows that have the same stages in another order do not share columns', () => {
    expect(matrixOf([named('a', 'x', 'y'), named('b', 'y', 'x')]).bands).toHaveLength(2)
  })

  test('nothing is nothing', () => {
    expect(matrixOf([])).toEqual({ bands: [], mostLoad: 0 })
  })

  test('orders are merged where they agree', () => {
    expect(mergedOrder(['a', 'c'], ['a', 'b', 'c', 'd'])).toEqual(['a', 'b', 'c', 'd'])
    expect(mergedOrder(['b'], ['a', 'b'])).toEqual(['a', 'b'])
    expect(mergedOrder(['a', 'b'], ['b', 'a'])).toBeNull()
    expect(mergedOrder([], ['a'])).toEqual(['a'])
  })
})

describe('emphasis', () => {
  test('heat grows with the load, and the fullest cell is the hottest', () => {
    expect(heatOf(0, 100)).toBe(0)
    expect(heatOf(1, 100)).toBe(1)
    expect(heatOf(25, 100)).toBe(2)
    expect(heatOf(100, 100)).toBe(4)
    expect(heatOf(1, 1)).toBe(4)
    expect(heatOf(0, 0)).toBe(0)
  })

  test('the load of the fullest cell is that of all bands', () => {
    const { mostLoad } = matrixOf([
      row('a', [cell('x', { waiting: 1, running: 2, retrying: 3 })]),
      row('b', [cell('y', { waiting: 2 })]),
    ])
    expect(mostLoad).toBe(6)
  })

  test.each([
    [{ stuck: 1, retrying: 1, running: 1 }, 'bad'],
    [{ retrying: 1, running: 1 }, 'retry'],
    [{ running: 1, waiting: 9 }, 'busy'],
    [{ waiting: 9 }, 'waiting'],
    [{}, 'idle'],
  ] as const)('what is worst gives the tone: %o is %s', (over, tone) => {
    expect(emphasised(cell('x', over), 10).tone).toBe(tone)
  })

  test('the share of errors is of those that ended', () => {
    expect(errorShareOf(cell('x', { passed: 3, failed: 1 }))).toBe(0.25)
    expect(errorShareOf(cell('x'))).toBeNull()
  })
})

describe('places', () => {
  const matrix = matrixOf([named('a', 'x', 'z'), named('b', 'x', 'y', 'z'), named('c', 'w')])

  test('arrow keys skip holes and stop at the edges', () => {
    expect(placeAfter(matrix, { row: 0, column: 0 }, 'ArrowRight')).toEqual({ row: 0, column: 2 })
    expect(placeAfter(matrix, { row: 0, column: 2 }, 'ArrowLeft')).toEqual({ row: 0, column: 0 })
    expect(placeAfter(matrix, { row: 0, column: 2 }, 'ArrowRight')).toEqual({ row: 0, column: 2 })
    expect(placeAfter(matrix, { row: 0, column: 0 }, 'ArrowUp')).toEqual({ row: 0, column: 0 })
  })

  test('up and down go to what is nearest, also into another band', () => {
    expect(placeAfter(matrix, { row: 1, column: 1 }, 'ArrowUp')).toEqual({ row: 0, column: 0 })
    expect(placeAfter(matrix, { row: 1, column: 2 }, 'ArrowDown')).toEqual({ row: 2, column: 0 })
    expect(placeAfter(matrix, { row: 2, column: 0 }, 'ArrowDown')).toEqual({ row: 2, column: 0 })
  })

  test('Home and End, and keys that mean nothing', () => {
    expect(placeAfter(matrix, { row: 1, column: 1 }, 'Home')).toEqual({ row: 1, column: 0 })
    expect(placeAfter(matrix, { row: 1, column: 1 }, 'End')).toEqual({ row: 1, column: 2 })
    expect(placeAfter(matrix, { row: 1, column: 1 }, 'x')).toEqual({ row: 1, column: 1 })
  })

  test('a cell goes into the URL and is found by it', () => {
    const rows = [row('a', [cell('x')]), row('a', [cell('x')], 'u')]
    const url = placeInUrl(rows[1] as RadarRow, 'x') as { [name: string]: string }
    expect(url).toMatchObject({ row_tenant: 'u', pipeline_name: 'a', stage: 'x', protocol_id: null })
    const read = { row_tenant: 'u', pipeline_name: 'a', stage: 'x' }
    expect(cellInUrl(rows, read)?.row).toBe(rows[1])
    expect(cellInUrl(rows, { ...read, stage: 'gone' })).toBeUndefined()
    expect(cellInUrl(rows, {})).toBeUndefined()
    expect(Object.keys(NO_PLACE)).toEqual(expect.arrayContaining(Object.keys(url)))
  })

  test('a pipeline and a protocol of one name are two rows', () => {
    const one = { tenant_id: 't', filter: { pipeline_name: 'a' } }
    expect(keyOfRow(one)).not.toBe(keyOfRow({ tenant_id: 't', filter: { protocol_id: 'a' } }))
  })
})

describe('words', () => {
  const full = cell('parse', {
    waiting: 3,
    running: 1,
    stuck: 1,
    stuck_after_seconds: 60,
    oldest_since: '2026-01-01T00:00:00Z',
    passed: 99,
    failed: 1,
  })

  test('a cell has a name that says everything', () => {
    expect(nameOfCell('pdf', full, NOW)).toBe(
      'parse of pdf: 3 waiting, 1 running, oldest 2m, 1 stuck, 1 % failed lately',
    )
    expect(nameOfCell('pdf', cell('parse'), NOW)).toBe('parse of pdf: nothing there')
  })

  test('and sentences', () => {
    expect(sentencesOf(full, NOW, 24)).toEqual([
      '3 jobs wait and 1 job runs.',
      'The oldest has been here for 2m.',
      '1 is stuck: here for longer than 1m.',
      'Of 100 jobs that ended within the last 24 hours, 1 failed here (1 %).',
    ])
    expect(sentencesOf(cell('x', { retrying: 1, stuck_after_seconds: 60 }), NOW, 1)).toEqual([
      '1 job failed and will be tried again.',
      'None is stuck: none has been here for longer than 1m.',
      'None that got here ended within the last hour.',
    ])
    expect(sentencesOf(cell('x', { passed: 2 }), NOW, 24)).toEqual([
      'No job is at this stage.',
      'Of 2 jobs that ended within the last 24 hours, none failed here.',
    ])
  })
})
