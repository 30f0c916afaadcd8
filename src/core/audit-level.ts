import type { AuditRecord } from './audit.ts'
import { ON_REQUEST } from './job/on-request.ts'
import { type Machine, type Tone, toneOf } from './machine.ts'
import { machines } from './machines/all.ts'

/** How much somebody who watches has to care, the worst first. */
export const LEVELS = ['error', 'warn', 'info', 'debug'] as const

export type Level = (typeof LEVELS)[number]

/** Part of the history as it is told to those who watch. */
export interface LeveledRecord extends AuditRecord {
  readonly level: Level
}

type Judged = Pick<AuditRecord, 'event' | 'kind' | 'new_state' | 'error_type'>

/**
 * `error`: something ended badly. `warn`: it was refused, failed and is tried again, or something went wrong with it.
 * `debug`: it was late or repeated, and nothing came of it. `info`: the rest.
 */
export function levelOf(record: Judged): Level {
  const { event, error_type } = record
  if (event === 'ignored') return 'debug'
  const tone = enteredTone(record)
  // What was withdrawn because somebody wanted it so did not go wrong.
  if (tone === 'bad' && error_type !== ON_REQUEST.code) return 'error'
  return event === 'refused' || tone === 'retry' || error_type !== null ? 'warn' : 'info'
}

export function leveled(record: AuditRecord): LeveledRecord {
  return { ...record, level: levelOf(record) }
}

/** Of the state that was entered; undefined when none was, or none that is known any more. */
function enteredTone({ event, kind, new_state }: Judged): Tone | undefined {
  return event === 'moved' ? toneOf(machines[kind] as Machine<string>, new_state) : undefined
}
