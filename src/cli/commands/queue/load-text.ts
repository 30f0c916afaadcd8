import { durationMs } from '../../../core/duration.ts'
import type { Rate } from '../../../core/job/protocol.ts'
import type { QueueState } from '../../../core/machines/queue.ts'
import { InvalidInput } from '../../../errors/input-errors.ts'
import type { Counted } from '../../../ledger/queue-load.ts'
import type { Style } from '../../output/text-stream.ts'
import { countText, durationText } from '../../output/words.ts'

/** `12`, or `1,000+` when there are more than were counted. */
export function countedText({ count, is_more }: Counted): string {
  return `${countText(count)}${is_more ? '+' : ''}`
}

export function queueStyle(state: QueueState): Style | undefined {
  return state === 'paused' ? 'yellow' : 'green'
}

export function rateText({ max, per_ms }: Rate): string {
  return `${countText(max)} in ${durationText(per_ms / 1000)}`
}

/** Takes a limit away. A word, because the parser takes null for an option without a value. */
const NONE = 'none'
const FORM = /^(\d+)\/(.+)$/

export type Limited<T> = T | typeof NONE

/** As the ledger takes it: null for no limit. */
export function limitOf<T>(limit: Limited<T> | undefined): T | null | undefined {
  return limit === NONE ? null : limit
}

/** `5/1s`, or `none`. */
export function parseRate(text: string): Limited<Rate> {
  if (text === NONE) return NONE
  const [, max = '', span = ''] = FORM.exec(text.trim()) ?? []
  // "5/s" is what people write.
  const per_ms = durationMs(/^\d/.test(span) ? span : `1${span}`)
  if (max !== '' && per_ms !== null && per_ms > 0) return { max: Number(max), per_ms }
  throw new InvalidInput(
    'rate',
    `--rate ${JSON.stringify(text)} is not a rate`,
    'Write how many in which time: 5/1s, 100/1m; or none for no limit.',
  )
}

export function parsePlaces(text: string): Limited<number> {
  if (text === NONE) return NONE
  if (/^\d+$/.test(text)) return Number(text)
  throw new InvalidInput(
    'concurrency',
    `--concurrency ${JSON.stringify(text)} is not a number`,
    'Write how many may run at once: 10; or none for no limit.',
  )
}
