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

const NONE = 'none'
const FORM = /^(\d+)\/(.+)$/

/** `5/1s`, or `none`. */
export function parseRate(text: string): Rate | null {
  if (text === NONE) return null
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

export function parsePlaces(text: string): number | null {
  if (text === NONE) return null
  if (/^\d+$/.test(text)) return Number(text)
  throw new InvalidInput(
    'concurrency',
    `--concurrency ${JSON.stringify(text)} is not a number`,
    'Write how many may run at once: 10; or none for no limit.',
  )
}
