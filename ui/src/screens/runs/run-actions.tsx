import { useQuery } from '@tanstack/react-query'
import { cancelRun, moveRun, type RunRecord, runJobCountsQuery, sealRun } from '../../api/runs.ts'
import { useMay, usePage } from '../../app/context.ts'
import { many } from '../../format/numbers.ts'
import { Button } from '../../parts/button.tsx'
import type { Question } from '../../parts/confirm.tsx'
import { useAct } from '../../parts/use-act.ts'

const TOPICS = ['run', 'job'] as const

/** What may be done with a run by hand. */
export function RunActions({ run }: { readonly run: RunRecord }) {
  const { machines } = usePage()
  const { whyNot } = useMay('write')
  const act = useAct()
  const open = useOpenJobs(run)
  const { run_id, state, sealed } = run
  const spec = machines.run.states[state]
  const over = spec?.terminal === true ? `It is ${state} already` : null
  const seal = () =>
    act({
      question: {
        title: `Seal ${run_id}?`,
        body: 'It takes no more jobs, and ends when those that it has do.',
        confirm: 'Seal it',
      },
      does: (reason) => sealRun({ run, reason }),
      said: () => `${run_id} takes no more jobs`,
      topics: TOPICS,
    })
  const cancel = () =>
    act({
      question: {
        title: `Cancel ${run_id} and its ${many(open, 'open job')}?`,
        body: 'It takes no more jobs, and ends when the last of them has stopped.',
        confirm: 'Cancel the run',
        isDangerous: true,
      },
      does: (reason) => cancelRun({ run, reason }),
      said: () => `${run_id} is being cancelled`,
      topics: TOPICS,
    })
  return (
    <>
      {(spec?.to ?? []).map((to) => (
        <MoveButton key={to} run={run} to={to} />
      ))}
      <Button whyNot={whyNot ?? over ?? (sealed ? 'It is sealed already' : null)} onClick={() => void seal()}>
        Seal
      </Button>
      <Button look="danger" whyNot={whyNot ?? over} onClick={() => void cancel()}>
        Cancel its jobs
      </Button>
    </>
  )
}

function MoveButton({ run, to }: { readonly run: RunRecord; readonly to: string }) {
  const { machines } = usePage()
  const { whyNot } = useMay('write')
  const act = useAct()
  const move = () =>
    act({
      question: moveTo(run, to),
      does: (reason) => moveRun(to, { run, reason }),
      said: () => `${run.run_id} is ${to} now`,
      topics: TOPICS,
    })
  return (
    <Button whyNot={whyNot} title={machines.run.states[to]?.about ?? ''} onClick={() => void move()}>
      Mark {to}
    </Button>
  )
}

function moveTo({ run_id, state }: RunRecord, to: string): Question {
  return {
    title: `Say that ${run_id} is ${to}?`,
    body: `It is ${state}. Its jobs go on as they are: this only says where the run stands.`,
    confirm: `It is ${to}`,
  }
}

function useOpenJobs(run: RunRecord): number {
  const { machines } = usePage()
  const { data } = useQuery(runJobCountsQuery(run))
  return Object.entries(data?.counts ?? {})
    .filter(([state]) => machines.job.states[state]?.terminal !== true)
    .reduce((sum, [, n]) => sum + n, 0)
}
