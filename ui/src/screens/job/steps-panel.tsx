import type { StepRecord } from '../../../../src/core/job/record.ts'
import type { JobDetail } from '../../api/jobs.ts'
import { Panel } from '../../parts/panel.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { Since, When } from '../../parts/when.tsx'
import styles from './lists.module.css'

export function StepsPanel({ job }: { readonly job: JobDetail }) {
  return (
    <Panel title="Steps" isFlush>
      <ol className={styles.rows}>
        {job.steps.map((step) => (
          <StepItem key={step.step_id} step={step} isCurrent={step.step_id === job.current_step_id} />
        ))}
      </ol>
    </Panel>
  )
}

function StepItem({ step, isCurrent }: { readonly step: StepRecord; readonly isCurrent: boolean }) {
  return (
    <li className={styles.row} aria-current={isCurrent ? 'step' : undefined}>
      <span className={styles.main}>
        <span className={styles.muted}>{step.step_index + 1}</span> <strong>{step.step_id}</strong>
      </span>
      <StatePill kind="step" state={step.state} />
      <span className={styles.more}>
        {step.service} · queue {step.queue} · {attemptText(step)} · for <Since at={step.state_since} />
        {step.holder === null ? null : <> · held by {step.holder}</>}
        {step.lease_expires_at === null ? null : (
          <>
            {' '}
            · lease ends <When at={step.lease_expires_at} />
          </>
        )}
      </span>
      {step.last_error_code === null ? null : (
        <span className={styles.error}>
          {step.last_error_code}: {step.last_error_message}
        </span>
      )}
    </li>
  )
}

function attemptText({ attempt_no, released, policy }: StepRecord): string {
  if (attempt_no === 0) return 'not begun'
  const most = policy.max_attempts === undefined ? '' : ` of ${policy.max_attempts}`
  return `attempt ${attempt_no - released}${most}`
}
