import type { AuditRecord } from './audit.ts'

/** How much somebody who watches has to care, the worst first. */
export const LEVELS = ['error', 'warn', 'info', 'debug'] as const

export type Level = (typeof LEVELS)[number]

/** Part of the history as it is told to those who watch. */
export interface LeveledRecord extends AuditRecord {
  readonly level: Level
}
