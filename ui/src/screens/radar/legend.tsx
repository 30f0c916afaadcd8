import styles from './legend.module.css'
import { MARKS } from './marks.ts'

/** What the marks in the cells mean. */
export function Legend() {
  return (
    <ul className={styles.legend} aria-label="What the marks mean">
      {MARKS.map(({ name, mark, tone, about }) => (
        <li key={name} data-tone={tone} title={about}>
          <span className={styles.mark} aria-hidden="true">
            {mark}
          </span>
          {name}
        </li>
      ))}
      <li data-tone="bad" title="At the stage for longer than 99 of 100 are">
        <span className={styles.outline} aria-hidden="true" />
        stuck
      </li>
      <li data-tone="bad" title="Of the jobs that ended lately, the share that failed at the stage">
        <span className={styles.bar} aria-hidden="true" />
        share that failed
      </li>
    </ul>
  )
}
