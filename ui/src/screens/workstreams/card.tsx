import type { BoardCard } from '../../../../src/core/group/board.ts'
import { usePage } from '../../app/context.ts'
import { CopyId } from '../../parts/copy-id.tsx'
import { IdLink } from '../../parts/id-link.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { Told } from '../../parts/told.tsx'
import { Since } from '../../parts/when.tsx'
import { jobsInWords } from './board-moves.ts'
import styles from './card.module.css'
import { JobBar } from './job-bar.tsx'
import { MoveMenu } from './move-menu.tsx'

interface CardProps {
  readonly card: BoardCard
  readonly isHeld: boolean
  readonly canBeHeld: boolean
  onHold(): void
  onLetGo(): void
}

export function Card({ card, isHeld, canBeHeld, onHold, onLetGo }: CardProps) {
  const { tenant_id, workstream_id, run_id, state, since, lane_reason, jobs, failing_job } = card
  const isEverybody = usePage().tenant === '*'
  return (
    <li
      className={styles.card}
      aria-label={workstream_id}
      data-held={isHeld}
      draggable={canBeHeld}
      onDragStart={(event) => {
        event.dataTransfer.effectAllowed = 'move'
        event.dataTransfer.setData('text/plain', workstream_id)
        event.dataTransfer.setDragImage(event.currentTarget, 12, 12)
        onHold()
      }}
      onDragEnd={onLetGo}
    >
      <div className={styles.head}>
        <IdLink kind="workstream" tenant={tenant_id} id={workstream_id} isWhole />
        <CopyId id={workstream_id} />
      </div>
      <div className={styles.line}>
        <StatePill kind="workstream" state={state} />
        <span className={styles.quiet}>
          for <Since at={since} />
        </span>
      </div>
      <JobBar jobs={jobs} />
      <p className={styles.quiet}>{jobsInWords(jobs)}</p>
      {run_id === null && !isEverybody ? null : (
        <p className={styles.group}>
          {run_id === null ? null : (
            <>
              <span className={styles.quiet}>Run</span>
              <IdLink kind="run" tenant={tenant_id} id={run_id} />
            </>
          )}
          {isEverybody ? <span className={styles.tenant}>{tenant_id}</span> : null}
        </p>
      )}
      <p className={styles.reason}>
        <Told text={lane_reason} />
      </p>
      {failing_job === null ? null : (
        <p className={styles.group}>
          <span className={styles.failing}>Failing</span>
          <IdLink kind="job" tenant={failing_job.tenant_id} id={failing_job.job_id} />
        </p>
      )}
      <MoveMenu card={card} />
    </li>
  )
}
