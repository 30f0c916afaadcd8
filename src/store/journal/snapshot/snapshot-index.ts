import type { Json } from '../../../core/json.ts'
import { LedgerDamaged, UnknownFormat } from '../../../errors/journal-errors.ts'
import type { Dress } from '../blocks/trailer.ts'
import { decodePageEntry, encodePageEntry, type PageEntry, type PageText } from './page.ts'
import { RUN_FORMATS, type RunName } from './run-format.ts'
import { TABLES, type TableName } from './tables.ts'
import type { WorkSection } from './work-section.ts'

export const SNAPSHOT_VERSION = '1.0'
const KNOWN_MAJOR = /^1\./

/** The end of the object that a snapshot is. */
export const SNAPSHOT_DRESS: Dress = { before: ',\n"trailer":', after: '}\n' }

/** What is needed to open the ledger without reading its records. */
export interface SnapshotFacts {
  readonly created_at: string
  readonly seq: number
  /** Of the last change, in epoch seconds. */
  readonly timestamp: number | null
  readonly document_count: number
  readonly counts: Json
  readonly signals: Json
  readonly audit_records: number
  /** Whatever else its writer wants to find again. */
  readonly [extra: string]: Json
}

export interface SnapshotHead extends SnapshotFacts {
  readonly version: string
}

/** The pages of each run. */
export type Sections = {
  readonly [T in TableName]: { readonly [R in RunName]: readonly PageEntry[] }
}

export interface SnapshotIndex {
  readonly head: SnapshotHead
  readonly work: WorkSection
  readonly sections: Sections
}

const RUN_NAMES = Object.keys(RUN_FORMATS) as RunName[]

type SectionsText = { readonly [table: string]: { readonly [run: string]: readonly PageText[] } }

export function encodeIndex({ head, work, sections }: SnapshotIndex): string {
  const text: { [table: string]: { [run: string]: readonly PageText[] } } = {}
  for (const table of TABLES) {
    const runs: { [run: string]: readonly PageText[] } = {}
    for (const run of RUN_NAMES) {
      const pages = sections[table][run]
      if (pages.length > 0) runs[run] = pages.map((page) => encodePageEntry(page, RUN_FORMATS[run]))
    }
    text[table] = runs
  }
  return JSON.stringify({ ...head, work, sections: text })
}

export function decodeIndex(text: string, file: string, at: number): SnapshotIndex {
  const { sections, work, ...head } = parseIndex(text, file, at)
  if (typeof head.version !== 'string' || !KNOWN_MAJOR.test(head.version)) {
    throw new UnknownFormat(file, head.version)
  }
  if (typeof sections !== 'object' || sections === null || typeof work !== 'object' || work === null) {
    throw new LedgerDamaged({ file, byte: at }, 'the index lists no sections')
  }
  return {
    head: head as unknown as SnapshotHead,
    work: work as WorkSection,
    sections: decodeSections(sections as SectionsText),
  }
}

function parseIndex(text: string, file: string, at: number): { readonly [field: string]: unknown } {
  try {
    const index: unknown = JSON.parse(text)
    if (typeof index === 'object' && index !== null) return index as { readonly [field: string]: unknown }
  } catch {
    // Falls through: whatever it is, it is not an index.
  }
  throw new LedgerDamaged({ file, byte: at }, 'the index is not one')
}

function decodeSections(text: SectionsText): Sections {
  const entries = TABLES.map((table) => {
    const runs = RUN_NAMES.map((run) => {
      const pages = text[table]?.[run] ?? []
      return [run, pages.map((page) => decodePageEntry(page, RUN_FORMATS[run]))]
    })
    return [table, Object.fromEntries(runs)]
  })
  return Object.fromEntries(entries)
}
