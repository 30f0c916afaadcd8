import type { DocumentRecord } from '../../../core/document/record.ts'
import { fromEpochSeconds } from '../../../core/time.ts'
import { stateStyle } from '../../output/state-style.ts'
import { type Column, NEEDED } from '../../output/table.ts'
import { codedText, durationText, timeText } from '../../output/words.ts'

export function errorText({
  error_type,
  error_message,
}: Pick<DocumentRecord, 'error_type' | 'error_message'>) {
  return codedText(error_type, error_message)
}

export function documentColumns(now: number): readonly Column<DocumentRecord>[] {
  return [
    { title: 'ID', value: ({ doc_id }) => doc_id, least: 12, worth: NEEDED },
    {
      title: 'STATE',
      value: ({ state }) => state,
      style: ({ state }) => stateStyle(state),
      least: 11,
      worth: NEEDED,
    },
    {
      title: 'FOR',
      value: ({ updated_at }) => durationText(Math.max(0, Math.floor(now / 1000 - updated_at))),
      align: 'right',
      least: 7,
      worth: 4,
    },
    { title: 'SINCE', value: ({ updated_at }) => timeText(fromEpochSeconds(updated_at)), least: 20 },
    { title: 'ADAPTER', value: ({ adapter }) => adapter, worth: 2 },
    {
      title: 'RETRIES',
      value: ({ retry_count, max_retries }) => (retry_count === 0 ? '' : `${retry_count}/${max_retries}`),
      align: 'right',
      least: 7,
      worth: 1,
    },
    { title: 'ERROR', value: errorText, style: () => 'red', least: 12, worth: 3 },
  ]
}
