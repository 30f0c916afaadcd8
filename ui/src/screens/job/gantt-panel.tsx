import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AttemptsTold } from '../../../../src/core/job/attempts-told.ts'
import { attemptsQuery, type JobDetail, type JobName } from '../../api/jobs.ts'
import { useNow } from '../../app/now.ts'
import { Answer } from '../../parts/answer.tsx'
import { Button } from '../../parts/button.tsx'
import { Panel } from '../../parts/panel.tsx'
import { layOut } from '../../shapes/gantt.ts'
import { AttemptsTable } from './attempts-table.tsx'
import styles from './gantt.module.css'
import { GanttChart } from './gantt-chart.tsx'
import { useWidth } from './use-width.ts'

/** Steps and their attempts over time, as a picture or as a table. */
export function GanttPanel({ name, job }: { readonly name: JobName; readonly job: JobDetail }) {
  const query = useQuery(attemptsQuery(name))
  const [isTable, setTable] = useState(false)
  const toggle = (
    <Button look="quiet" isPressed={isTable} onClick={() => setTable(!isTable)}>
      As a table
    </Button>
  )
  return (
    <Panel title="Attempts over time" actions={toggle}>
      <Answer query={query}>
        {(told) => (
          <>
            {isTable ? <AttemptsTable told={told} /> : <Picture told={told} job={job} />}
            {told.is_complete ? null : (
              <p className={styles.note}>Some attempts are missing: that part of the history is gone.</p>
            )}
          </>
        )}
      </Answer>
    </Panel>
  )
}

function Picture({ told, job }: { readonly told: AttemptsTold; readonly job: JobDetail }) {
  const now = useNow()
  const [width, ref] = useWidth()
  const gantt = layOut({
    steps: job.steps,
    attempts: told.items,
    begun: Date.parse(job.created_at),
    ended: job.completed_at === null ? null : Date.parse(job.completed_at),
    now,
    width: Math.max(1, width),
  })
  return (
    <div className={styles.picture}>
      <div className={styles.labels} aria-hidden="true">
        {gantt.rows.map(({ step_id }) => (
          <div key={step_id} title={step_id}>
            {step_id}
          </div>
        ))}
      </div>
      <div className={styles.canvas} ref={ref}>
        {width === 0 ? null : <GanttChart gantt={gantt} width={width} />}
      </div>
    </div>
  )
}
