import type { ReactNode } from 'react'
import type { Machine } from '../../../../src/core/machine.ts'
import styles from './runs.module.css'
import { tonesOf } from './tones.ts'

interface SharesProps {
  readonly machine: Machine<string>
  readonly counts: { readonly [state: string]: number }
  /** `jobs`. */
  readonly what: string
  readonly children: ReactNode
}

/** A bar of how many are in what kind of state. */
export function Shares({ machine, counts, what, children }: SharesProps) {
  const shares = tonesOf(machine, counts)
  const said = shares.map(({ said: one }) => one).join(', ')
  return (
    <span className={styles.shares} title={said}>
      <span className={styles.bar} role="img" aria-label={said === '' ? `no ${what}` : `${what}: ${said}`}>
        {shares.map(({ tone, count }) => (
          <span key={tone} data-tone={tone} style={{ flexGrow: count }} />
        ))}
      </span>
      {children}
    </span>
  )
}
