// Which cell of a radar is meant: in the URL, and when arrow keys go from one to the next.
import type { RadarCell, RadarFilter, RadarRow } from '../../../src/core/radar/radar.ts'
import type { Matrix, MatrixCell } from './radar-matrix.ts'

const FILTERS = ['pipeline_name', 'protocol_id', 'workstream_id'] as const

/** Two rows may have one name: a pipeline's and a protocol's, or those of two tenants. */
export function keyOfRow({ tenant_id, filter }: Pick<RadarRow, 'tenant_id' | 'filter'>): string {
  return JSON.stringify([tenant_id, ...FILTERS.map((name) => filter[name] ?? null)])
}

type Named = { readonly [name: string]: string | undefined }

/** As the URL has it: the filters are those of a list of jobs. */
export function placeInUrl(row: RadarRow, stage: string): { readonly [name: string]: string | null } {
  return { ...NO_PLACE, ...(row.filter as { [name: string]: string }), row_tenant: row.tenant_id, stage }
}

/** Takes a place out of the URL. */
export const NO_PLACE: { readonly [name: string]: null } = {
  row_tenant: null,
  stage: null,
  pipeline_name: null,
  protocol_id: null,
  workstream_id: null,
}

/** The cell that the URL names; undefined when it names none, or one that is gone. */
export function cellInUrl(
  rows: readonly RadarRow[],
  url: Named,
): { readonly row: RadarRow; readonly cell: RadarCell } | undefined {
  const { row_tenant, stage } = url
  if (row_tenant === undefined || stage === undefined) return undefined
  const filter: { -readonly [K in keyof RadarFilter]: RadarFilter[K] } = {}
  for (const name of FILTERS) if (url[name] !== undefined) filter[name] = url[name]
  const key = keyOfRow({ tenant_id: row_tenant, filter })
  const row = rows.find((one) => keyOfRow(one) === key)
  const cell = row?.cells.find((one) => one.stage === stage)
  return row === undefined || cell === undefined ? undefined : { row, cell }
}

/** Row and column as they are drawn, counted over all bands. */
export interface Place {
  readonly row: number
  readonly column: number
}

/** Where a key leads to from a place; the same place when there is nothing in that direction. */
export function placeAfter(matrix: Matrix, from: Place, key: string): Place {
  const rows = matrix.bands.flatMap((band) => band.rows.map(({ cells }) => cells))
  const own = rows[from.row] ?? []
  const to = (column: number | undefined): Place => (column === undefined ? from : { row: from.row, column })
  switch (key) {
    case 'ArrowRight':
      return to(columnsOf(own).find((column) => column > from.column))
    case 'ArrowLeft':
      return to(columnsOf(own).findLast((column) => column < from.column))
    case 'Home':
      return to(columnsOf(own)[0])
    case 'End':
      return to(columnsOf(own).at(-1))
    case 'ArrowDown':
      return inRow(rows, from, 1)
    case 'ArrowUp':
      return inRow(rows, from, -1)
    default:
      return from
  }
}

function columnsOf(cells: readonly (MatrixCell | null)[]): readonly number[] {
  return cells.flatMap((cell, column) => (cell === null ? [] : [column]))
}

/** The cell of the next row that has any which is nearest to straight above or below. */
function inRow(rows: readonly (readonly (MatrixCell | null)[])[], from: Place, by: 1 | -1): Place {
  for (let row = from.row + by; row >= 0 && row < rows.length; row += by) {
    const columns = columnsOf(rows[row] ?? [])
    const distance = (column: number) => Math.abs(column - from.column)
    const [nearest] = columns.toSorted((a, b) => distance(a) - distance(b))
    if (nearest !== undefined) return { row, column: nearest }
  }
  return from
}
