import { Argument, Option } from 'commander'
import type { Rate } from '../../../core/job/protocol.ts'
import type { QueueRecord } from '../../../core/queue/record.ts'
import { InvalidInput } from '../../../errors/input-errors.ts'
import { type CommandSpec, defineCommand } from '../../define-command.ts'
import { safeText } from '../../output/safe-text.ts'
import type { Session } from '../../session.ts'
import { type Limited, limitOf, parsePlaces, parseRate, queueStyle, rateText } from './load-text.ts'

interface Options {
  readonly reason?: string
}

interface LimitOptions extends Options {
  readonly concurrency?: Limited<number>
  readonly rate?: Limited<Rate>
}

const name = () => new Argument('<name>', 'name of the queue')
const reason = () => new Option('--reason <text>', 'why, for the history')
const exits: CommandSpec['exits'] = [[6, 'another process has the ledger open for writing']]

export const queuePause = defineCommand<Options>({
  name: 'pause',
  summary: 'hand nothing more out of a queue',
  about:
    'Pauses a queue: nothing new is handed out of it, to whichever worker or service; what runs goes on. Jobs wait ' +
    'until somebody resumes it. A queue that nobody has used yet can be paused beforehand.',
  arguments: [name()],
  options: [reason()],
  writes: true,
  examples: [
    ['queue pause render --reason "licence ran out"', 'stop handing out'],
    ['queue pause render && waybill queue list', 'and look'],
  ],
  exits,
  async run(session, options, [queue]) {
    const ledger = await session.openToChange()
    await tell(session, await ledger.queues.pause(queue as string, { reason: options.reason }))
  },
})

export const queueResume = defineCommand<Options>({
  name: 'resume',
  summary: 'hand work out of a queue again',
  about: 'Resumes a queue that was paused. One that runs goes on running, which is no error.',
  arguments: [name()],
  options: [reason()],
  writes: true,
  examples: [
    ['queue resume render', 'go on'],
    ['queue resume render --reason "licence renewed" --actor ann', 'and say who and why'],
  ],
  exits,
  async run(session, options, [queue]) {
    const ledger = await session.openToChange()
    await tell(session, await ledger.queues.resume(queue as string, { reason: options.reason }))
  },
})

export const queueLimit = defineCommand<LimitOptions>({
  name: 'limit',
  summary: 'how much of a queue may run at once, or begin within a while',
  about:
    'Limits a queue, for all tenants together: how many attempts may run at once, and how many may begin within a span ' +
    'of time. What is not given stays as it is; none takes a limit away. What runs already goes on.',
  arguments: [name()],
  options: [
    new Option('--concurrency <n>', 'most attempts at once, or none').argParser(parsePlaces),
    new Option('--rate <max/span>', 'most attempts begun within a while, as in 5/1s, or none').argParser(
      parseRate,
    ),
    reason(),
  ],
  writes: true,
  examples: [
    ['queue limit render --concurrency 4', 'four at once'],
    ['queue limit pubmed --rate 3/1s', 'three a second'],
    ['queue limit pubmed --rate none --concurrency none', 'no limits any more'],
  ],
  exits,
  async run(session, { concurrency, rate, reason: why }, [queue]) {
    if (concurrency === undefined && rate === undefined) {
      const next = 'Give --concurrency, --rate, or both; none takes a limit away.'
      throw new InvalidInput('concurrency', 'It is not said which limit', next)
    }
    const ledger = await session.openToChange()
    const limits = { concurrency: limitOf(concurrency), rate: limitOf(rate) }
    await tell(session, await ledger.queues.limit(queue as string, limits, { reason: why }))
  },
})

async function tell(session: Session, record: QueueRecord): Promise<void> {
  if (session.isJson) return session.json(record)
  const { queue, state, concurrency, rate } = record
  const limits = [
    ...(concurrency === null ? [] : [`${concurrency} at once`]),
    ...(rate === null ? [] : [rateText(rate)]),
  ]
  const limited = limits.length === 0 ? '' : `, at most ${limits.join(' and ')}`
  await session.out.line(`${safeText(queue)}: ${session.out.paint(queueStyle(state), state)}${limited}`)
}
