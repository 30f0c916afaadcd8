import type { AttemptsTold } from '../../../../src/core/job/attempts-told.ts'
import { span } from '../../format/time.ts'
import { StatePill } from '../../parts/state-pill.tsx'
import { At } from '../../parts/when.tsx'
import styles from './gantt.module.css'

/** The same as the picture, for those who read it. */
export function AttemptsTable({ told }: { readonly told: AttemptsTold }) {
  return (
    <div className={styles.scroll} tabIndex={0} role="region" aria-label="Attempts as a table">
      <table className={styles.table}>
        <thead>
          <tr>
            {['Step', 'Attempt', 'Handed out', 'Answered', 'Ended', 'Took', 'Came to', 'By', 'Error'].map(
              (title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {told.items.map((attempt) => (
            <tr key={`${attempt.step_id} ${attempt.attempt_no}`}>
              <th scope="row">{attempt.step_id}</th>
              <td>{attempt.attempt_no}</td>
              <td>
                <At at={attempt.dispatched_at} />
              </td>
              <td>{attempt.acked_at === null ? '–' : <At at={attempt.acked_at} />}</td>
              <td>{attempt.ended_at === null ? '–' : <At at={attempt.ended_at} />}</td>
              <td>
                {attempt.ended_at === null
                  ? '–'
                  : span(Date.parse(attempt.ended_at) - Date.parse(attempt.dispatched_at))}
              </td>
              <td>
                {attempt.outcome === null ? 'goes on' : <StatePill kind="step" state={attempt.outcome} />}
              </td>
              <td>{attempt.holder ?? '–'}</td>
              <td title={attempt.error_message ?? undefined}>{attempt.error_code ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
