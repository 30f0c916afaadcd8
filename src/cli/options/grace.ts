import { Option } from 'commander'
import { durationMs } from '../../core/duration.ts'
import { InvalidInput } from '../../errors/input-errors.ts'

export interface GraceOptions {
  readonly grace?: string
}

export function graceOption(about: string): Option {
  return new Option('--grace <span>', about).argParser(parseGrace)
}

function parseGrace(text: string): string {
  if (durationMs(text) !== null) return text
  const message = `--grace ${JSON.stringify(text)} is not a span of time`
  throw new InvalidInput('grace', message, 'Write 30s, 5m or 0s.')
}
