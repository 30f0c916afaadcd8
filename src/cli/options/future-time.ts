import { Option } from 'commander'
import { durationMs } from '../../core/duration.ts'
import { toIso } from '../../core/time.ts'
import { systemClock } from '../../world/clock.ts'
import { parseTime } from './time.ts'

/** A time to come, as requests have it: what is told as a span of time counts from now on. */
export function futureTimeOption(name: string, about: string): Option {
  return new Option(`--${name} <time>`, about).argParser((text) => {
    const ms = durationMs(text.trim())
    const now = systemClock.now()
    return toIso(ms === null ? parseTime(name, text, now) : now + ms)
  })
}
