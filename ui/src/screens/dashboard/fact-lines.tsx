import type { Fact } from '../../parts/facts.tsx'
import styles from './rows.module.css'

/** Facts line by line, in a narrow panel; what is not known is left out. */
export function FactLines({ facts }: { readonly facts: readonly (Fact | null)[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map((fact) =>
        fact === null ? null : (
          <div key={fact[0]}>
            <dt>{fact[0]}</dt>
            <dd>{fact[1]}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
