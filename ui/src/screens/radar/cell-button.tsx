import { count, percent, short } from '../../format/numbers.ts'
import { age } from '../../format/time.ts'
import type { MatrixCell } from '../../shapes/radar-matrix.ts'
import { nameOfCell } from '../../shapes/radar-words.ts'
import styles from './cell-button.module.css'
import { MARKS } from './marks.ts'

interface CellButtonProps {
  readonly row: string
  readonly shown: MatrixCell
  readonly now: number
  readonly place: string
  readonly isStop: boolean
  readonly isChosen: boolean
  onFocus(): void
  onClick(): void
}

/** How many are at a stage, for how long, and how it went lately. */
export function CellButton({ row, shown, now, place, isStop, isChosen, onFocus, onClick }: CellButtonProps) {
  const { cell, heat, tone, isStuck, errorShare } = shown
  const name = nameOfCell(row, cell, now)
  return (
    <button
      type="button"
      className={styles.cell}
      data-place={place}
      data-heat={heat}
      data-tone={tone}
      data-stuck={isStuck}
      tabIndex={isStop ? 0 : -1}
      aria-pressed={isChosen}
      title={name}
      onFocus={onFocus}
      onClick={onClick}
    >
      <span className={styles.unseen}>{name}</span>
      <span className={styles.shown} aria-hidden="true">
        <span className={styles.stage}>{cell.stage}</span>
        <Counts shown={shown} />
        <span className={styles.below}>
          {cell.oldest_since === null ? null : <span>{age(cell.oldest_since, now)}</span>}
          {isStuck ? <strong className={styles.stuck}>{count(cell.stuck)} stuck</strong> : null}
          {errorShare === null || errorShare === 0 ? null : (
            <span className={styles.failed}>{percent(cell.failed, cell.passed + cell.failed)} failed</span>
          )}
        </span>
        <span className={styles.bar}>
          <span style={{ width: `${(errorShare ?? 0) * 100}%` }} />
        </span>
      </span>
    </button>
  )
}

function Counts({ shown: { cell, load } }: { readonly shown: MatrixCell }) {
  if (load === 0) {
    return <span className={styles.idle}>{cell.passed === 0 ? '–' : `${short(cell.passed)} passed`}</span>
  }
  return (
    <span className={styles.counts}>
      {MARKS.map(({ name, mark, tone }) =>
        cell[name] === 0 ? null : (
          <span key={name} data-tone={tone}>
            <span className={styles.mark}>{mark}</span>
            {short(cell[name])}
          </span>
        ),
      )}
    </span>
  )
}
