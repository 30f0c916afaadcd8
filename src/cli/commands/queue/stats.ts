import { Argument } from 'commander'
import { fromIso } from '../../../core/time.ts'
import { nearestOf } from '../../../errors/nearest-of.ts'
import { NotFound } from '../../../errors/refusal-errors.ts'
import type { Ledger } from '../../../ledger/ledger.ts'
import type { QueueLoad } from '../../../ledger/queue-load.ts'
import { defineCommand } from '../../define-command.ts'
import { type Field, fieldLines } from '../../output/fields.ts'
import { safeText } from '../../output/safe-text.ts'
import { sinceText, timeText } from '../../output/words.ts'
import type { Session } from '../../session.ts'
import { countedText, queueStyle, rateText } from './load-text.ts'

export const queueStats = defineCommand({
  name: 'stats',
  summary: 'what waits and runs in one queue, and how far its limits are used',
  about:
    'Shows one queue: whether it is paused and since when, how much is ready, running and waiting after a failure, ' +
    'how long the first has been waiting, and how far its limits are used.',
  arguments: [new Argument('<name>', 'name of the queue')],
  examples: [
    ['queue stats render', 'all about it'],
    ['queue stats render --json | jq .ready.count', 'one number, for a program'],
  ],
  exits: [[3, 'there is nothing in such a queue, and nobody has steered it']],
  async run(session, _options, [name]) {
    const ledger = await session.openToRead()
    const load = await ledger.queues.load(name as string)
    if (load === null) throw await queueNotFound(session, ledger, name as string)
    if (session.isJson) return session.json(load)
    const { out } = session
    await out.write(
      `${out.paint('bold', safeText(load.queue))}\n${fieldLines(out, loadFields(load, session.clock.now()))}`,
    )
  },
})

function loadFields(load: QueueLoad, now: number): readonly Field[] {
  const { state, state_since, concurrency, rate, oldest_ready_at } = load
  return [
    ['state', state, undefined, queueStyle(state)],
    ['since', state_since === null ? null : timeText(fromIso(state_since)), ago(state_since, now)],
    ['ready', countedText(load.ready), 'a worker or dispatcher could take it'],
    ['running', countedText(load.running), 'attempts that a worker or service has'],
    ['retrying', countedText(load.retrying), 'wait for their next attempt'],
    [
      'first waits',
      oldest_ready_at === null ? null : timeText(fromIso(oldest_ready_at)),
      ago(oldest_ready_at, now),
    ],
    ['at once', concurrency === null ? 'no limit' : `${load.concurrency_used ?? 0} of ${concurrency}`],
    ['rate', rate === null ? 'no limit' : `${load.rate_used ?? 0} of ${rateText(rate)}`],
  ]
}

function ago(time: string | null, now: number): string | undefined {
  return time === null ? undefined : `for ${sinceText(time, now)}`
}

async function queueNotFound(session: Session, ledger: Ledger, queue: string): Promise<NotFound> {
  const names = (await ledger.queues.loads()).queues.map((load) => load.queue)
  const meant = nearestOf(queue, names)
  return new NotFound({
    code: 'NOT_FOUND',
    field: 'name',
    message: `There is nothing in a queue ${JSON.stringify(queue)}, and nobody has steered it`,
    next: meant === null ? `See what there is: ${session.hintOf('queue list')}` : `Did you mean ${meant}?`,
    details: { queue },
  })
}
