import type { ReactNode } from 'react'
import styles from './facts.module.css'

export type Fact = readonly [name: string, value: ReactNode]

interface FactsProps {
  readonly facts: readonly (Fact | null)[]
  /** One under the other, in a narrow panel. */
  readonly isNarrow?: boolean
}

/** What is known of something, name by name; what is not is left out. */
export function Facts({ facts, isNarrow = false }: FactsProps) {
  return (
    <dl className={isNarrow ? styles.lines : styles.facts}>
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
