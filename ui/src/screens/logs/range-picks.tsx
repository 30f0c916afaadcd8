import { replaced } from './filter-language.ts'
import type { Filter } from './filter-meaning.ts'
import styles from './log-controls.module.css'

const PICKS = [
  ['15m', '15 minutes'],
  ['1h', 'hour'],
  ['24h', '24 hours'],
  [null, ''],
] as const

interface RangePicksProps {
  readonly text: string
  readonly filter: Filter
  onChange(text: string): void
}

export function RangePicks({ text, filter, onChange }: RangePicksProps) {
  const from = filter.terms.filter(({ field }) => field === 'from').map(({ value }) => value)
  return (
    <fieldset className={styles.picks}>
      <legend>Time range</legend>
      {PICKS.map(([value, about]) => (
        <button
          key={value ?? 'all'}
          type="button"
          className={styles.pick}
          aria-pressed={value === null ? from.length === 0 : from.length === 1 && from[0] === value}
          title={value === null ? 'All of the history' : `The last ${about}`}
          onClick={() => onChange(replaced(text, 'from', value))}
        >
          {value ?? 'All'}
        </button>
      ))}
    </fieldset>
  )
}
