import { Option } from 'commander'
import { systemClock } from '../../world/clock.ts'
import { parseTime } from './time.ts'

/** `--since`, `--until`, `--at`: all take a time in the same forms. */
export function timeOption(name: string, about: string): Option {
  return new Option(`--${name} <time>`, about).argParser((text) => parseTime(name, text, systemClock.now()))
}
