// Where each cell of a radar goes. Stages keep the order that their row has them in; rows that share stages share columns, and
// rows that have little in common get columns of their own, so that nobody reads across a table of holes.
import type { RadarCell, RadarRow } from '../../../src/core/radar/radar.ts'
import { keyOfRow } from './radar-place.ts'

export interface Matrix {
  readonly bands: readonly Band[]
  /** The most jobs that one cell has: what the heat of the others is measured by. */
  readonly mostLoad: number
}

/** Rows whose stages agree. */
export interface Band {
  readonly columns: readonly string[]
  readonly rows: readonly MatrixRow[]
}

export interface MatrixRow {
  readonly key: string
  readonly row: RadarRow
  /** One for each column of the band; null where the row has no such stage. */
  readonly cells: readonly (MatrixCell | null)[]
}

export interface MatrixCell {
  readonly cell: RadarCell
  readonly load: number
  /** 0 for none, up to 4 for as many as anywhere. */
  readonly heat: Heat
  readonly tone: CellTone
  readonly isStuck: boolean
  /** Of those that ended lately: how many did so because of this stage. Null when none ended. */
  readonly errorShare: number | null
}

export type Heat = 0 | 1 | 2 | 3 | 4

/** What is worst about it. */
type CellTone = 'bad' | 'retry' | 'busy' | 'waiting' | 'idle'

const HOTTEST = 4

export function matrixOf(rows: readonly RadarRow[]): Matrix {
  const mostLoad = Math.max(0, ...rows.flatMap(({ cells }) => cells.map(loadOf)))
  const bands: { columns: readonly string[]; rows: RadarRow[] }[] = []
  for (const row of rows) {
    const stages = row.cells.map(({ stage }) => stage)
    const band = bands.find(({ columns }) => canShare(columns, stages))
    if (band === undefined) bands.push({ columns: stages, rows: [row] })
    else {
      band.columns = mergedOrder(band.columns, stages) ?? band.columns
      band.rows.push(row)
    }
  }
  return {
    mostLoad,
    // What has something to do comes first.
    bands: bands
      .toSorted((a, b) => openOf(b.rows) - openOf(a.rows))
      .map(({ columns, rows: own }) => ({
        columns,
        rows: own.toSorted(byName).map((row) => placed(row, columns, mostLoad)),
      })),
  }
}

/** The same pipeline of several tenants stands together; workstreams that are over come last. */
function byName(a: RadarRow, b: RadarRow): number {
  return (
    Number(isOver(a)) - Number(isOver(b)) ||
    a.row.localeCompare(b.row) ||
    a.tenant_id.localeCompare(b.tenant_id)
  )
}

function openOf(rows: readonly RadarRow[]): number {
  return rows.reduce((sum, { open }) => sum + open, 0)
}

function isOver({ filter, open }: RadarRow): boolean {
  return filter.workstream_id !== undefined && open === 0
}

function placed(row: RadarRow, columns: readonly string[], mostLoad: number): MatrixRow {
  const byStage = new Map(row.cells.map((cell) => [cell.stage, cell]))
  const cells = columns.map((stage) => {
    const cell = byStage.get(stage)
    return cell === undefined ? null : emphasised(cell, mostLoad)
  })
  return { key: keyOfRow(row), row, cells }
}

/** At least half of what both have has to be the same, in the same order. */
function canShare(columns: readonly string[], stages: readonly string[]): boolean {
  const merged = mergedOrder(columns, stages)
  const shared = stages.filter((stage) => columns.includes(stage)).length
  return merged !== null && shared * 2 >= merged.length
}

/** Both in one order; null when they disagree about it. What only the second has comes after what it follows there. */
export function mergedOrder(first: readonly string[], second: readonly string[]): readonly string[] | null {
  const merged = [...first]
  let at = 0
  for (const stage of second) {
    const there = merged.indexOf(stage)
    if (there === -1) merged.splice(at, 0, stage)
    else if (there < at) return null
    at = (there === -1 ? at : there) + 1
  }
  return merged
}

function loadOf({ waiting, running, retrying }: RadarCell): number {
  return waiting + running + retrying
}

export function emphasised(cell: RadarCell, mostLoad: number): MatrixCell {
  const load = loadOf(cell)
  return {
    cell,
    load,
    heat: heatOf(load, mostLoad),
    tone: toneOf(cell),
    isStuck: cell.stuck > 0,
    errorShare: errorShareOf(cell),
  }
}

/** By the square root, so that one crowded stage does not make all others look empty. */
export function heatOf(load: number, mostLoad: number): Heat {
  if (load <= 0 || mostLoad <= 0) return 0
  const heat = Math.ceil(Math.sqrt(load / mostLoad) * HOTTEST)
  return Math.min(HOTTEST, heat) as Heat
}

function toneOf({ stuck, retrying, running, waiting }: RadarCell): CellTone {
  if (stuck > 0) return 'bad'
  if (retrying > 0) return 'retry'
  if (running > 0) return 'busy'
  return waiting > 0 ? 'waiting' : 'idle'
}

export function errorShareOf({ passed, failed }: RadarCell): number | null {
  return passed + failed === 0 ? null : failed / (passed + failed)
}
