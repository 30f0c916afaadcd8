import type { RecordKind } from '../../../src/core/machines/all.ts'
import { usePage } from '../app/context.ts'
import styles from './state-pill.module.css'

interface StatePillProps {
  readonly kind: RecordKind
  readonly state: string
}

/** A state, in the colour of how it is, with what it means on hover. */
export function StatePill({ kind, state }: StatePillProps) {
  const spec = usePage().machines[kind].states[state]
  return (
    <span className={styles.pill} data-tone={spec?.tone ?? 'waiting'} data-state={state} title={spec?.about}>
      <span className={styles.dot} aria-hidden="true" />
      {state}
    </span>
  )
}
