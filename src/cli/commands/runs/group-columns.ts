import type { RunRecord } from '../../../core/group/run-record.ts'
import type { WorkstreamRecord } from '../../../core/group/workstream-record.ts'
import { fromIso } from '../../../core/time.ts'
import { stateStyle } from '../../output/state-style.ts'
import { type Column, NEEDED } from '../../output/table.ts'
import { sinceText, timeText } from '../../output/words.ts'

/** What runs and workstreams have in common. */
function groupColumns<G extends RunRecord | WorkstreamRecord>(now: number): readonly Column<G>[] {
  return [
    {
      title: 'STATE',
      value: ({ state }) => state,
      style: ({ state }) => stateStyle(state),
      least: 9,
      worth: NEEDED,
    },
    {
      title: 'FOR',
      value: ({ state_since }) => sinceText(state_since, now),
      align: 'right',
      least: 3,
      worth: 4,
    },
    { title: 'SEALED', value: ({ sealed }) => (sealed ? 'yes' : ''), worth: 2 },
    { title: 'CREATED', value: ({ created_at }) => timeText(fromIso(created_at)), least: 20, worth: 3 },
    {
      title: 'METADATA',
      value: ({ metadata }) => (Object.keys(metadata).length === 0 ? '' : JSON.stringify(metadata)),
      least: 10,
      worth: 1,
    },
  ]
}

export function runColumns(now: number): readonly Column<RunRecord>[] {
  return [{ title: 'ID', value: ({ run_id }) => run_id, least: 20, worth: NEEDED }, ...groupColumns(now)]
}

export function workstreamColumns(now: number): readonly Column<WorkstreamRecord>[] {
  return [
    { title: 'ID', value: ({ workstream_id }) => workstream_id, least: 12, worth: NEEDED },
    { title: 'RUN', value: ({ run_id }) => run_id, least: 12, worth: 5 },
    ...groupColumns<WorkstreamRecord>(now),
  ]
}
