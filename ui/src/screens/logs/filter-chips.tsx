import styles from './filter-chips.module.css'
import { parse, printPart, without } from './filter-language.ts'
import type { Filter } from './filter-meaning.ts'

interface FilterChipsProps {
  readonly text: string
  readonly filter: Filter
  onChange(text: string): void
}

/** The parts of the filter, one by one; those that are wrong say why. */
export function FilterChips({ text, filter, onChange }: FilterChipsProps) {
  const parts = parse(text)
  if (parts.length === 0) return null
  return (
    <ul className={styles.chips} aria-label="Active filters">
      {parts.map((part, nth) => {
        const wrong = filter.wrong.find((one) => one.nth === nth)
        const name = printPart(part)
        return (
          <li
            key={`${part.from} ${name}`}
            className={styles.chip}
            data-tone={wrong === undefined ? 'info' : 'bad'}
          >
            <span className={styles.name}>{name}</span>
            {wrong === undefined ? null : (
              <span className={styles.wrong} role="alert">
                {wrong.message}
              </span>
            )}
            <button type="button" aria-label={`Remove ${name}`} onClick={() => onChange(without(text, nth))}>
              ×
            </button>
          </li>
        )
      })}
      {parts.length < 2 ? null : (
        <li>
          <button type="button" className={styles.clear} onClick={() => onChange('')}>
            Clear filters
          </button>
        </li>
      )}
    </ul>
  )
}
