// Rows of pipelines or workstreams, a cell for each stage. One cell at a time is a stop of the Tab key; arrow keys go on from there.
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import type { Radar, RadarRow } from '../../../../src/core/radar/radar.ts'
import { msOf } from '../../format/time.ts'
import { type Band, type MatrixRow, matrixOf } from '../../shapes/radar-matrix.ts'
import { keyOfRow, type Place, placeAfter } from '../../shapes/radar-place.ts'
import { CellButton } from './cell-button.tsx'
import styles from './matrix-grid.module.css'
import { RowName } from './row-name.tsx'

interface MatrixGridProps {
  readonly radar: Radar
  readonly chosen: { readonly row: RadarRow; readonly stage: string } | null
  onChoose(row: RadarRow, stage: string): void
}

export function MatrixGrid({ radar, chosen, onChoose }: MatrixGridProps) {
  const matrix = useMemo(() => matrixOf(radar.rows), [radar.rows])
  const frame = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<Place | null>(null)
  const chosenKey = chosen === null ? null : cellKey(keyOfRow(chosen.row), chosen.stage)
  const stop = stopOf(matrix.bands, focused, chosenKey)
  const onKeyDown = (event: KeyboardEvent) => {
    if (stop === null) return
    const next = placeAfter(matrix, stop, event.key)
    if (next === stop) return
    event.preventDefault()
    frame.current?.querySelector<HTMLElement>(`[data-place="${nameOf(next)}"]`)?.focus()
  }
  const now = msOf(radar.as_of)
  let index = 0
  return (
    <div ref={frame} role="group" aria-label="Stages" className={styles.bands} onKeyDown={onKeyDown}>
      {matrix.bands.map((band) => {
        const first = index
        index += band.rows.length
        return (
          <BandGrid
            key={band.rows[0]?.key ?? first}
            band={band}
            first={first}
            now={now}
            stop={stop}
            chosenKey={chosenKey}
            onFocus={setFocused}
            onChoose={onChoose}
          />
        )
      })}
    </div>
  )
}

interface BandGridProps {
  readonly band: Band
  /** Which row its first one is, of all. */
  readonly first: number
  readonly now: number
  readonly stop: Place | null
  readonly chosenKey: string | null
  onFocus(place: Place): void
  onChoose(row: RadarRow, stage: string): void
}

function BandGrid({ band, first, ...rest }: BandGridProps) {
  const { columns, rows } = band
  return (
    <div
      role="grid"
      aria-label={`Stages ${columns.join(', ')}`}
      className={styles.band}
      style={{ '--count': columns.length } as React.CSSProperties}
    >
      <div role="row" className={styles.head}>
        <span role="columnheader" className={styles.corner}>
          <span className={styles.unseen}>Name</span>
        </span>
        {columns.map((stage) => (
          <span key={stage} role="columnheader" className={styles.stage} title={stage}>
            {stage}
          </span>
        ))}
      </div>
      {rows.map((row, i) => (
        <RowOfCells key={row.key} row={row} index={first + i} columns={columns} {...rest} />
      ))}
    </div>
  )
}

interface RowOfCellsProps extends Omit<BandGridProps, 'band' | 'first'> {
  readonly row: MatrixRow
  readonly index: number
  readonly columns: readonly string[]
}

function RowOfCells({ row, index, columns, now, stop, chosenKey, onFocus, onChoose }: RowOfCellsProps) {
  return (
    <div role="row" className={styles.row}>
      <RowName row={row.row} />
      {row.cells.map((cell, column) => {
        const place = { row: index, column }
        const stage = columns[column] ?? ''
        return (
          <div key={stage} role="gridcell" className={styles.slot} data-hole={cell === null}>
            {cell === null ? null : (
              <CellButton
                row={row.row.row}
                shown={cell}
                now={now}
                place={nameOf(place)}
                isStop={stop?.row === index && stop.column === column}
                isChosen={chosenKey === cellKey(row.key, stage)}
                onFocus={() => onFocus(place)}
                onClick={() => onChoose(row.row, stage)}
              />
            )}
          </div>
        )
      })}
    </div>
  )
}

/** Where the Tab key gets to: where one was, else what is chosen, else the first cell. */
function stopOf(bands: readonly Band[], focused: Place | null, chosenKey: string | null): Place | null {
  const rows = bands.flatMap((band) => band.rows.map((row) => ({ row, columns: band.columns })))
  if (focused !== null && (rows[focused.row]?.row.cells[focused.column] ?? null) !== null) return focused
  for (const [row, { row: one, columns }] of rows.entries()) {
    const column = columns.findIndex((stage) => cellKey(one.key, stage) === chosenKey)
    if (column >= 0) return { row, column }
  }
  const column = rows[0]?.row.cells.findIndex((cell) => cell !== null) ?? -1
  return column < 0 ? null : { row: 0, column }
}

function cellKey(row: string, stage: string): string {
  return `${row} ${stage}`
}

function nameOf({ row, column }: Place): string {
  return `${row}:${column}`
}
