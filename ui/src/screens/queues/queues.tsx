import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type QueueLoad, queuesQuery, steerQueue } from '../../api/queues.ts'
import { useMay, usePage } from '../../app/context.ts'
import { counted, many } from '../../format/numbers.ts'
import { PlainTable } from '../../lists/plain-table.tsx'
import { Answer } from '../../parts/answer.tsx'
import { Button } from '../../parts/button.tsx'
import { CopyId } from '../../parts/copy-id.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { Screen } from '../../parts/screen.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { useAct } from '../../parts/use-act.ts'
import { Since } from '../../parts/when.tsx'
import { rateText } from './limits.ts'
import { LimitsDialog } from './limits-dialog.tsx'
import styles from './queues.module.css'
import { Schedules } from './schedules.tsx'
import { QUEUE_VERBS, type Verb, verbsFor } from './steering.ts'

export function QueuesScreen() {
  const query = useQuery(queuesQuery)
  const [limited, setLimited] = useState<string | null>(null)
  const nothing = (
    <Notice kind="empty" title="Nothing waits">
      A queue is listed while a job has work in it, and from then on if somebody has steered it.
    </Notice>
  )
  return (
    <Screen title="Queues">
      <Panel title="What waits and runs" isFlush>
        <Answer query={query} instead={({ items }) => (items.length === 0 ? nothing : null)}>
          {({ items, is_more }) => (
            <>
              <Queues items={items} onLimit={setLimited} />
              {is_more ? (
                <p className={styles.note}>There is more than was looked at: one may be missing.</p>
              ) : null}
              <LimitsOf
                queue={items.find(({ queue }) => queue === limited)}
                onClose={() => setLimited(null)}
              />
            </>
          )}
        </Answer>
      </Panel>
      <Schedules />
    </Screen>
  )
}

function LimitsOf({
  queue,
  onClose,
}: {
  readonly queue: QueueLoad | undefined
  readonly onClose: () => void
}) {
  return queue === undefined ? null : <LimitsDialog load={queue} onClose={onClose} />
}

interface QueuesProps {
  readonly items: readonly QueueLoad[]
  readonly onLimit: (queue: string) => void
}

function Queues({ items, onLimit }: QueuesProps) {
  const columns = [
    {
      title: 'Queue',
      cell: ({ queue }: QueueLoad) => (
        <span className={styles.name}>
          <span>{queue}</span> <CopyId id={queue} what="name" />
        </span>
      ),
    },
    { title: 'State', cell: ({ state }: QueueLoad) => <StatePill kind="queue" state={state} /> },
    { title: 'Ready', cell: ({ ready }: QueueLoad) => <Figure tone="waiting" {...ready} /> },
    { title: 'Running', cell: ({ running }: QueueLoad) => <Figure tone="busy" {...running} /> },
    {
      title: 'Retrying',
      isExtra: true,
      cell: ({ retrying }: QueueLoad) => <Figure tone="retry" {...retrying} />,
    },
    {
      title: 'Oldest waits for',
      isExtra: true,
      cell: ({ oldest_ready_at }: QueueLoad) => <Since at={oldest_ready_at} />,
    },
    { title: 'Limits', cell: (load: QueueLoad) => <Limits load={load} /> },
    { title: 'Steer', cell: (load: QueueLoad) => <Steer load={load} onLimit={onLimit} /> },
  ]
  return <PlainTable label="Queues" items={items} columns={columns} keyOf={({ queue }) => queue} />
}

interface FigureProps {
  readonly tone: string
  readonly count: number
  readonly is_more: boolean
}

function Figure({ tone, count, is_more }: FigureProps) {
  return (
    <span className={styles.figure} data-tone={tone} data-none={count === 0}>
      {counted({ count, is_more })}
    </span>
  )
}

function Limits({ load: { concurrency, concurrency_used, rate, rate_used } }: { readonly load: QueueLoad }) {
  if (concurrency === null && rate === null) return <span className={styles.none}>none</span>
  return (
    <span className={styles.limits}>
      {concurrency === null ? null : <Used used={concurrency_used ?? 0} max={concurrency} what="at once" />}
      {rate === null ? null : (
        <Used used={rate_used ?? 0} max={rate.max} what={rateText(rate).replace(/^\d+ /, '')} />
      )}
    </span>
  )
}

interface UsedProps {
  readonly used: number
  readonly max: number
  readonly what: string
}

function Used({ used, max, what }: UsedProps) {
  return (
    <label className={styles.used} data-tone={used >= max ? 'retry' : 'busy'}>
      <meter className={styles.meter} min={0} max={max} value={Math.min(used, max)} />
      <span>
        {used} of {max} {what}
      </span>
    </label>
  )
}

interface SteerProps {
  readonly load: QueueLoad
  readonly onLimit: (queue: string) => void
}

function Steer({ load, onLimit }: SteerProps) {
  const { machines } = usePage()
  const { whyNot } = useMay('write')
  const act = useAct()
  const { queue, state, ready } = load
  const steer = ({ verb, title, to }: Verb) =>
    act({
      question: {
        title: `${title} ${queue}, where ${many(ready.count, 'job')}${ready.is_more ? ' or more' : ''} ${ready.count === 1 ? 'waits' : 'wait'}?`,
        body: `${machines.queue.states[to]?.about}. This concerns all tenants.`,
        confirm: `${title} ${queue}`,
      },
      does: (reason) => steerQueue(queue, verb, reason),
      said: () => `${queue} is ${to} now`,
      topics: ['queue'],
    })
  return (
    <span className={styles.steer}>
      {verbsFor(machines.queue, state, QUEUE_VERBS).map((verb) => (
        <Button
          key={verb.verb}
          whyNot={whyNot}
          label={`${verb.title} ${queue}`}
          onClick={() => void steer(verb)}
        >
          {verb.title}
        </Button>
      ))}
      <Button whyNot={whyNot} label={`Limits of ${queue}`} onClick={() => onLimit(queue)}>
        Limits…
      </Button>
    </span>
  )
}
