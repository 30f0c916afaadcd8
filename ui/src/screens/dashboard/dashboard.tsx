import { Children, type ReactNode } from 'react'
import { isForAll } from '../../api/session.ts'
import { usePage } from '../../app/context.ts'
import { Contained } from '../../parts/panel.tsx'
import { Screen } from '../../parts/screen.tsx'
import { ActivityPanel } from './activity-panel.tsx'
import styles from './dashboard.module.css'
import { DurationsPanel } from './durations-panel.tsx'
import { Headline } from './headline.tsx'
import { LastRunsPanel } from './last-runs-panel.tsx'
import { OutboxPanel } from './outbox-panel.tsx'
import { RecentJobsPanel } from './recent-jobs-panel.tsx'
import { StateCounts } from './state-counts.tsx'
import { StoragePanel } from './storage-panel.tsx'
import { StuckPanel } from './stuck-panel.tsx'
import { WaitingPanel } from './waiting-panel.tsx'
import { WorkersPanel } from './workers-panel.tsx'

/** How things are, at one look; every number leads to what it counts. */
export function Dashboard() {
  const { session } = usePage()
  return (
    <Screen title="Dashboard">
      <Headline />
      <div className={styles.wide}>
        <Apart>
          <ActivityPanel />
          <div className={styles.column}>
            <Apart>
              <WaitingPanel />
              <OutboxPanel />
            </Apart>
          </div>
        </Apart>
      </div>
      <div className={styles.counts}>
        <Apart>
          <StateCounts kind="job" title="Jobs" to="/jobs" />
          <StateCounts kind="document" title="Documents" to="/documents" />
          <StateCounts kind="run" title="Runs" to="/runs" />
          <StateCounts kind="workstream" title="Workstreams" to="/workstreams" />
        </Apart>
      </div>
      <div className={`${styles.row} ${styles.work}`}>
        <Apart>
          <WorkersPanel />
          <DurationsPanel />
          <RecentJobsPanel />
        </Apart>
      </div>
      <div className={styles.row}>
        <Apart>
          <StuckPanel />
          <LastRunsPanel />
          {isForAll(session) ? <StoragePanel /> : null}
        </Apart>
      </div>
    </Screen>
  )
}

/** What is in the head of a panel may break as well: each of them is on its own. */
function Apart({ children }: { readonly children: ReactNode }) {
  return Children.map(children, (child) => (child === null ? null : <Contained>{child}</Contained>))
}
