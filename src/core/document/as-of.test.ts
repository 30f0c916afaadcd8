import { describe, expect, it } from 'vitest'
import { KernelLedger } from '../../../test/fixtures/kernel-ledger.ts'
import type { AuditRecord } from '../audit.ts'
import { DocumentHindsight } from './as-of.ts'
import type { UpdateDocument } from './decide.ts'
import type { DocumentRecord } from './record.ts'

type Step = Partial<UpdateDocument> & Pick<UpdateDocument, 'state'>

/** What happened to a document, a second between any two of the steps, and what it was like after each. */
function lived(steps: readonly Step[]) {
  const ledger = new KernelLedger()
  const stages: { at: number; document: DocumentRecord }[] = []
  for (const step of steps) {
    ledger.now += 1000
    const command = {
      type: 'updateDocument',
      tenant_id: 't1',
      doc_id: 'd',
      actor: 'ann',
      reason: null,
    } as const
    ledger.run({ ...command, ...step })
    stages.push({ at: ledger.now, document: ledger.get('document', 't1', 'd') as DocumentRecord })
  }
  return { ledger, stages, records: ledger.records('document', 'd') }
}

function asOf(records: readonly AuditRecord[], at: number, now: DocumentRecord | null) {
  const hindsight = new DocumentHindsight(at)
  for (const record of records) if (!hindsight.add(record)) break
  return hindsight.answer(now)
}

function told(document: DocumentRecord) {
  const { kind: _, etag: __, ...rest } = document
  return rest
}

const STEPS: readonly Step[] = [
  { state: 'fetching', adapter: 'web', metadata: { url: 'a', tries: 1 } },
  { state: 'retrying', max_retries: 5, error: { error_type: 'E', error_message: 'm', traceback: null } },
  { state: 'fetching', metadata: { tries: 2 } },
  { state: 'indexed', validate: false, metadata: { odd: true } },
  { state: 'parsing', validate: false },
  { state: 'parsed', metadata: { validated: false } },
  { state: 'failed' },
]

describe('a document in hindsight', () => {
  it('is what it was after each of its moves, until the next', () => {
    const { stages, records, ledger } = lived(STEPS)
    const now = ledger.get('document', 't1', 'd')
    for (const { at, document } of stages) {
      const expected = { ...told(document), complete: true }
      for (const moment of [at, at + 999]) expect(asOf(records, moment, now)).toEqual(expected)
    }
    expect(asOf(records, (stages[0]?.at ?? 0) - 1, now)).toBeNull()
  })

  it('leaves to the history what that keeps of an old log', () => {
    const { records, stages } = lived([{ state: 'fetching' }])
    const metadata = { n: 1, legacy_state: 'auto_inflight', validated: false }
    const migrated = records.map((record) => ({ ...record, actor: 'migration', metadata }))
    expect(asOf(migrated, stages[0]?.at ?? 0, null)?.metadata).toEqual({ n: 1 })
  })

  it('does not mistake refusals for moves', () => {
    const { ledger, stages } = lived([{ state: 'fetching' }])
    ledger.now += 1000
    ledger.refusalOf({
      type: 'updateDocument',
      tenant_id: 't1',
      doc_id: 'd',
      state: 'indexed',
      actor: 'ann',
      reason: null,
    })
    expect(asOf(ledger.records('document', 'd'), ledger.now, null)?.updated_at).toBe(
      (stages[0]?.at ?? 0) / 1000,
    )
  })

  it('knows the state before the first move that is left, and says that it does not know all', () => {
    const { records, stages } = lived(STEPS)
    const left = records.slice(2)
    const [, second, third] = stages
    expect(asOf(left, second?.at ?? 0, null)).toMatchObject({
      state: 'retrying',
      updated_at: (second?.at ?? 0) / 1000,
      metadata: {},
      complete: false,
    })
    expect(asOf(left, (second?.at ?? 0) - 1, null)).toBeNull()
    expect(asOf(left, third?.at ?? 0, null)).toMatchObject({ state: 'fetching', complete: false })
  })

  it('is the document of today when nothing of its history is left', () => {
    const { ledger, stages } = lived([{ state: 'fetching' }])
    const now = ledger.get('document', 't1', 'd') as DocumentRecord
    expect(asOf([], stages[0]?.at ?? 0, now)).toEqual({ ...told(now), complete: true })
    expect(asOf([], (stages[0]?.at ?? 0) - 1, now)).toBeNull()
    expect(asOf([], 0, null)).toBeNull()
  })
})
