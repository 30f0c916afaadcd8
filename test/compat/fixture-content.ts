import { machines, type RecordKind } from '../../src/core/machines/all.ts'
import { countsIn, headsIn, nextDueIn } from '../../src/testing/conformance/history/reference-reads.ts'
import { plain } from '../../src/testing/conformance/reading.ts'
import type { ExpectedLedger } from '../crash/expected-ledger.ts'
import type { JsonObject, NaiveLedger } from '../crash/naive-reader.ts'

export const QUEUES = ['read', 'push:send', 'push:ocr', 'push:embedding']

/** Everything that a ledger holds, as JSON. */
export interface FixtureContent {
  readonly last_seq: number
  readonly records: readonly JsonObject[]
  readonly history: readonly JsonObject[]
  readonly claims: { readonly [name: string]: string }
  readonly slots: { readonly [name: string]: readonly string[] }
  readonly refusals: { readonly [name: string]: number }
  readonly counts: { readonly [kind: string]: { readonly [state: string]: number } }
  readonly next_due: number | null
  readonly ready: readonly unknown[]
}

/** What the files say, and what follows from it. */
export function contentOf(files: NaiveLedger, { model }: ExpectedLedger): FixtureContent {
  const { records, claims, slots, refusals } = files.state
  const kinds = Object.keys(machines) as RecordKind[]
  return plain({
    last_seq: files.lastSeq,
    records: sortedBy(records).map(([, record]) => record),
    history: files.history,
    claims: Object.fromEntries(sortedBy(claims)),
    slots: Object.fromEntries(sortedBy(slots).map(([name, owners]) => [name, [...owners.keys()].sort()])),
    refusals: Object.fromEntries(sortedBy(refusals)),
    counts: Object.fromEntries(kinds.map((kind) => [kind, countsIn(model, kind)])),
    next_due: nextDueIn(model),
    ready: headsIn(model, QUEUES, 1000),
  })
}

function sortedBy<T>(map: ReadonlyMap<string, T>): readonly [string, T][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1))
}
