// Workstreams by how they are, lane by lane. A card is moved by dragging it, or with the menu on it.
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { boardQuery, runNamesQuery } from '../../api/workstreams.ts'
import { usePage } from '../../app/context.ts'
import { useUrlState } from '../../app/url-state.ts'
import { Answer } from '../../parts/answer.tsx'
import { ChoiceFilter, Filters } from '../../parts/filters.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Screen } from '../../parts/screen.tsx'
import { isEmptyBoard } from './board-moves.ts'
import { Lanes } from './lanes.tsx'

export function WorkstreamsScreen() {
  const { tenant } = usePage()
  const [{ run_id }, setUrl] = useUrlState()
  const board = useQuery({ ...boardQuery(tenant, run_id), placeholderData: keepPreviousData })
  return (
    <Screen title="Workstreams" actions={<RunFilter />} isTall>
      <Answer
        query={board}
        instead={(data) =>
          isEmptyBoard(data) ? <Nothing run_id={run_id} showAll={() => setUrl({ run_id: null })} /> : null
        }
      >
        {(data) => <Lanes board={data} />}
      </Answer>
    </Screen>
  )
}

function RunFilter() {
  const { tenant } = usePage()
  const [{ run_id }] = useUrlState()
  const runs = useQuery(runNamesQuery(tenant))
  const names = new Set((runs.data?.items ?? []).map((run) => run.run_id))
  if (run_id !== undefined) names.add(run_id)
  return (
    <Filters>
      <ChoiceFilter
        name="run_id"
        label="Run"
        choices={[{ value: '', title: 'All runs' }, ...[...names].map((value) => ({ value, title: value }))]}
      />
    </Filters>
  )
}

interface NothingProps {
  readonly run_id: string | undefined
  showAll(): void
}

function Nothing({ run_id, showAll }: NothingProps) {
  return run_id === undefined ? (
    <Notice kind="empty" title="There is no workstream yet">
      A job that names a workstream when it is submitted makes it; so does <code>POST /v1/workstreams</code>.
    </Notice>
  ) : (
    <Notice
      kind="no-match"
      title={`The run ${run_id} has no workstreams`}
      action={{ label: 'Show those of all runs', run: showAll }}
    />
  )
}
