import type { QueueLoad } from '../../../ledger/queue-load.ts'
import { defineCommand } from '../../define-command.ts'
import { onePage, writeList } from '../../output/list.ts'
import { type Column, NEEDED } from '../../output/table.ts'
import { sinceText } from '../../output/words.ts'
import { countedText, queueStyle, rateText } from './load-text.ts'

export const queueList = defineCommand({
  name: 'list',
  summary: 'what waits and runs in which queue',
  about:
    'Lists the queues that have open work or that somebody steered: whether each is paused, how much is ready to be ' +
    'taken, how much runs and how much waits after a failure, its limits, and how long the first has been waiting. ' +
    'Queues belong to all tenants. Where there is a lot only so much is counted, and a + says that there is more.',
  examples: [
    ['queue list', 'all of them'],
    ['queue list --json | jq "select(.state == \\"paused\\") | .queue"', 'which are paused, for a program'],
  ],
  async run(session) {
    const ledger = await session.openToRead()
    const { queues, is_more } = await ledger.queues.loads()
    await writeList(session, onePage(queues), {
      columns: queueColumns(session.clock.now()),
      what: 'queue',
      empty: () => 'There is nothing in any queue, and nobody has steered one.',
    })
    if (is_more)
      await session.notes.hint('There is more work than was looked at: a queue may be missing.', { is_more })
  },
})

function queueColumns(now: number): readonly Column<QueueLoad>[] {
  return [
    { title: 'QUEUE', value: ({ queue }) => queue, least: 10, worth: NEEDED },
    {
      title: 'STATE',
      value: ({ state }) => state,
      style: ({ state }) => queueStyle(state),
      least: 7,
      worth: NEEDED,
    },
    { title: 'READY', value: ({ ready }) => countedText(ready), align: 'right', least: 5, worth: 7 },
    { title: 'RUNNING', value: ({ running }) => countedText(running), align: 'right', least: 7, worth: 6 },
    { title: 'RETRYING', value: ({ retrying }) => countedText(retrying), align: 'right', least: 8, worth: 3 },
    {
      title: 'WAITS',
      value: ({ oldest_ready_at: at }) => (at === null ? null : sinceText(at, now)),
      align: 'right',
      least: 6,
      worth: 4,
    },
    { title: 'LIMIT', value: limitText, least: 8, worth: 5 },
  ]
}

function limitText({ concurrency, rate }: QueueLoad): string {
  const limits = [concurrency === null ? '' : `${concurrency} at once`, rate === null ? '' : rateText(rate)]
  return limits.filter((limit) => limit !== '').join(', ')
}
