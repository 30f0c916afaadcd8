import { type JobRecord, PRIORITIES } from '../../../core/job/record.ts'
import { stateStyle } from '../../output/state-style.ts'
import { type Column, NEEDED } from '../../output/table.ts'
import { codedText, sinceText } from '../../output/words.ts'

const NORMAL = 'normal'

export function jobColumns(now: number): readonly Column<JobRecord>[] {
  return [
    { title: 'ID', value: ({ job_id }) => job_id, least: 36, worth: NEEDED },
    {
      title: 'STATE',
      value: ({ state }) => state,
      style: ({ state }) => stateStyle(state),
      least: 11,
      worth: NEEDED,
    },
    { title: 'TYPE', value: ({ request_type }) => request_type, least: 8, worth: 5 },
    {
      title: 'FOR',
      value: ({ state_since }) => sinceText(state_since, now),
      align: 'right',
      least: 3,
      worth: 4,
    },
    { title: 'STEP', value: ({ current_step_id }) => current_step_id, worth: 2 },
    { title: 'DOC', value: ({ doc_id }) => doc_id, worth: 1 },
    {
      title: 'PRIORITY',
      value: ({ priority }) => (PRIORITIES[priority] === NORMAL ? '' : PRIORITIES[priority]),
      least: 8,
    },
    {
      title: 'ERROR',
      value: ({ error_code, error_message }) => codedText(error_code, error_message),
      style: () => 'red',
      least: 10,
      worth: 3,
    },
  ]
}
