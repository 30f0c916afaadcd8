// What is behind a cell: its numbers in words, the job that is there for longest and why, what happened last, and who else is there.
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { RadarCell, RadarRow } from '../../../../src/core/radar/radar.ts'
import { type Stage, stageJobsQuery } from '../../api/stage-jobs.ts'
import { usePage } from '../../app/context.ts'
import { useNow } from '../../app/now.ts'
import { Button } from '../../parts/button.tsx'
import { Panel } from '../../parts/panel.tsx'
import { sentencesOf } from '../../shapes/radar-words.ts'
import styles from './inspector.module.css'
import { OldestJob } from './oldest-job.tsx'
import { StageHistory } from './stage-history.tsx'
import { StageJobs } from './stage-jobs.tsx'

interface InspectorProps {
  readonly row: RadarRow
  readonly cell: RadarCell
  readonly hours: number
  onClose(): void
}

export function Inspector({ row, cell, hours, onClose }: InspectorProps) {
  const now = useNow()
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // Where it is below the matrix, it would open out of sight.
    if (matchMedia('(max-width: 64rem)').matches) frame.current?.scrollIntoView()
  }, [])
  const stage: Stage = { tenant: row.tenant_id, filter: row.filter, stage: cell.stage }
  const bad = useBadStates()
  const failed = useQuery(stageJobsQuery(stage, { states: bad, limit: 1, direction: 'desc' }))
  const lastFailed = failed.data?.items[0]
  const told = cell.oldest_job_id ?? lastFailed?.job_id ?? null
  return (
    <aside ref={frame} className={styles.inspector} aria-label="Inspector">
      <Panel
        title={`${cell.stage} of ${row.row}`}
        actions={
          <Button look="quiet" label="Close the inspector" onClick={onClose}>
            ✕
          </Button>
        }
      >
        <div className={styles.parts}>
          <ul className={styles.words}>
            {sentencesOf(cell, now, hours).map((sentence) => (
              <li key={sentence.replace(/\d.*/, '')}>{sentence}</li>
            ))}
          </ul>
          {cell.oldest_job_id === null || cell.oldest_since === null ? null : (
            <OldestJob tenant={row.tenant_id} id={cell.oldest_job_id} since={cell.oldest_since} />
          )}
          <StageJobs stage={stage} />
          <StageHistory tenant={row.tenant_id} id={told} stage={cell.stage} lastFailed={lastFailed} />
        </div>
      </Panel>
    </aside>
  )
}

/** Those that a job that failed for good is in, as the rules have them. */
function useBadStates(): readonly string[] {
  const { states } = usePage().machines.job
  return Object.keys(states).filter((state) => states[state]?.tone === 'bad')
}
