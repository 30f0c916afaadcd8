import { useQuery } from '@tanstack/react-query'
import { whyQuery } from '../../api/jobs.ts'
import { Answer } from '../../parts/answer.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { Told } from '../../parts/told.tsx'
import { Since, When } from '../../parts/when.tsx'
import styles from './inspector.module.css'

interface OldestJobProps {
  readonly tenant: string
  readonly id: string
  readonly since: string
}

/** The job that is there for longest, and what keeps it. */
export function OldestJob({ tenant, id, since }: OldestJobProps) {
  const why = useQuery(whyQuery({ tenant, id }))
  return (
    <section className={styles.part}>
      <h3>The oldest, and why it is here</h3>
      <p className={styles.line}>
        <RecordLink kind="job" tenant={tenant} id={id} />
        {why.data === undefined ? null : <StatePill kind="job" state={why.data.state} />}
        <span className={styles.quiet}>
          for <Since at={since} />
        </span>
      </p>
      <Answer query={why}>
        {({ causes }) => (
          <ul className={styles.causes}>
            {causes.map(({ cause, message, until, unblock }) => (
              <li key={`${cause} ${message}`}>
                <p>
                  <Told text={message} />
                </p>
                {until === null ? null : (
                  <p className={styles.quiet}>
                    Ends by itself <When at={until} />
                  </p>
                )}
                {unblock === null ? null : (
                  <p className={styles.quiet}>
                    <code>{unblock.command}</code> {unblock.effect}
                  </p>
                )}
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </section>
  )
}
