import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Why } from '../../../../src/core/job/why.ts'
import type { Cause, Unblock } from '../../../../src/core/job/why-cause.ts'
import { type JobName, whyQuery } from '../../api/jobs.ts'
import { many } from '../../format/numbers.ts'
import { Answer } from '../../parts/answer.tsx'
import { Button } from '../../parts/button.tsx'
import { CopyId } from '../../parts/copy-id.tsx'
import { Panel } from '../../parts/panel.tsx'
import { RecordLink } from '../../parts/record-link.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { Told } from '../../parts/told.tsx'
import { When } from '../../parts/when.tsx'
import { useUnblock } from './actions/use-unblock.ts'
import styles from './why-panel.module.css'

/** What keeps it, what has to happen first coming first, and what would get it moving. */
export function WhyPanel({ name }: { readonly name: JobName }) {
  const query = useQuery(whyQuery(name))
  return (
    <Panel title="Why it is where it is">
      <Answer query={query}>
        {(why) => (
          <>
            <ol className={styles.causes}>
              {why.causes.map((cause, i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two may say the same, and their order is what they are
                <CauseItem key={`${cause.cause} ${i}`} cause={cause} name={name} />
              ))}
            </ol>
            <WhatNext why={why} />
          </>
        )}
      </Answer>
    </Panel>
  )
}

function CauseItem({ cause, name }: { readonly cause: Cause; readonly name: JobName }) {
  const { unblock, details } = cause
  // Another job of the same tenant, where that is what keeps it.
  const other = typeof details.job_id === 'string' && details.job_id !== name.id ? details.job_id : null
  return (
    <li className={styles.cause} data-cause={cause.cause}>
      <p className={styles.message}>
        <span className={styles.name}>{cause.cause.replaceAll('_', ' ')}</span>
        <Told text={cause.message} />
      </p>
      {cause.until === null ? null : (
        <p className={styles.until}>
          Ends by itself <When at={cause.until} />
        </p>
      )}
      {unblock === null ? null : <UnblockLine unblock={unblock} name={name} />}
      {other === null ? null : (
        <p>
          Look at <RecordLink kind="job" tenant={name.tenant} id={other} isSameTenant />
        </p>
      )}
    </li>
  )
}

function UnblockLine({ unblock, name }: { readonly unblock: Unblock; readonly name: JobName }) {
  const { does, effect, command } = unblock
  const { label, run, whyNot } = useUnblock(does, effect, name)
  return (
    <div className={styles.unblock}>
      {does?.verb === 'look' ? (
        <Link
          to={'/jobs/$tenant/$id' as string}
          params={{ tenant: does.tenant_id, id: does.job_id } as never}
        >
          Look at {does.job_id}
        </Link>
      ) : does === null ? null : (
        <Button look="primary" onClick={run} whyNot={whyNot} title={effect}>
          {label}
        </Button>
      )}
      <span className={styles.effect}>{effect}</span>
      <span className={styles.command}>
        <code>{command}</code>
        <CopyId id={command} what="command" />
      </span>
    </div>
  )
}

function WhatNext({ why: { step, next_states } }: { readonly why: Why }) {
  return (
    <div className={styles.next}>
      {step === null ? null : (
        <p>
          Step {step.step_index + 1} of {step.steps}, <strong>{step.step_id}</strong>: attempt{' '}
          {step.attempt_no}, {many(step.attempts_left, 'attempt')} left
        </p>
      )}
      <p className={styles.states}>
        {next_states.length === 0 ? 'It has ended: no other state follows.' : 'May go to '}
        {next_states.map((state) => (
          <StatePill key={state} kind="job" state={state} />
        ))}
      </p>
    </div>
  )
}
