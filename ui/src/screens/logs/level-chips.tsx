import type { Level } from '../../../../src/core/audit-level.ts'
import { LEVEL_NAMES, LEVELS } from '../../api/vocabulary.ts'
import { short } from '../../format/numbers.ts'
import { toggled } from './filter-language.ts'
import type { Filter } from './filter-meaning.ts'
import styles from './log-controls.module.css'

interface LevelChipsProps {
  readonly text: string
  readonly filter: Filter
  /** Of what is loaded. */
  readonly counts: { readonly [level in Level]: number }
  onChange(text: string): void
}

/** How many of each level there are, and only those, at a press. */
export function LevelChips({ text, filter, counts, onChange }: LevelChipsProps) {
  const chosen = filter.terms.filter(({ field, isNegated }) => field === 'level' && !isNegated)
  return (
    <fieldset className={styles.levels}>
      <legend>Levels of what is loaded</legend>
      {LEVEL_NAMES.map((level) => {
        const isChosen = chosen.some(({ value }) => value === level)
        // Of those that are not asked for nothing is loaded, and nothing is known.
        const isCounted = isChosen || chosen.length === 0
        return (
          <button
            key={level}
            type="button"
            className={styles.level}
            data-tone={level}
            aria-pressed={isChosen}
            title={LEVELS[level]}
            onClick={() => onChange(toggled(text, { isNegated: false, field: 'level', value: level }))}
          >
            <span className={styles.letter} aria-hidden="true">
              {level[0]?.toUpperCase()}
            </span>
            {level}
            <span className={styles.count}>{isCounted ? short(counts[level]) : '–'}</span>
          </button>
        )
      })}
    </fieldset>
  )
}
