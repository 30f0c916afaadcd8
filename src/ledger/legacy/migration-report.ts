import { LEGACY_FINDINGS, type LegacyFindingKind } from '../../core/document/legacy-line.ts'
import type { DocumentState } from '../../core/machines/document.ts'
import type { FoundKinds } from './findings.ts'

/** What a migration did, or in a dry run would do. */
export interface MigrationReport {
  readonly input: string
  /** The file that was written; null when the log was taken over by a ledger. */
  readonly output: string | null
  readonly dry_run: boolean
  /** All lines of the log: the sum of the five below. */
  readonly lines: number
  readonly blank: number
  /** Lines of the old kind that were taken over. */
  readonly migrated: number
  /** Lines that were audit records already: kept, or taken over, as they were. */
  readonly already_migrated: number
  /** Lines that an earlier run had taken over. */
  readonly already_imported: number
  readonly rejected: number
  /** Documents that were not there before. */
  readonly documents: number
  /** By how much the number of documents in each state has grown. */
  readonly by_state: { readonly [state in DocumentState]?: number }
  readonly findings: FoundKinds
  /** The copy of the log as it was before its first migration; it may go after 30 days. */
  readonly backup: string | null
  /** Where the rejected lines are kept. */
  readonly rejects: string | null
  readonly report: string | null
  readonly compacted: boolean
  /** Whether what was counted before, on the way and afterwards agrees. */
  readonly agrees: boolean
}

/** For people. */
export function reportText(report: MigrationReport): string {
  const rows: [string, number | string | null][] = [
    ['lines', report.lines],
    ['  migrated', report.migrated],
    ['  migrated before', report.already_migrated],
    ['  imported before', report.already_imported],
    ['  rejected', report.rejected],
    ['  blank', report.blank],
    ['new documents', report.documents],
  ]
  for (const [state, count] of Object.entries(report.by_state)) rows.push([`  ${state}`, count])
  const found = Object.entries(report.findings) as [LegacyFindingKind, { readonly count: number }][]
  if (found.length > 0) rows.push(['findings', null])
  for (const [kind, { count }] of found) rows.push([`  ${LEGACY_FINDINGS[kind]}`, count])
  const width = Math.max(...rows.map(([name]) => name.length))
  const lines = rows.map(([name, value]) => (value === null ? name : `${name.padEnd(width)}  ${value}`))
  return `${lines.join('\n')}\n`
}
