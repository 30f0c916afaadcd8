import assert from 'node:assert/strict'
import type { AuditRecord } from '../../../core/audit.ts'
import { plain } from '../reading.ts'
import { nameOf, type Told } from './reference-ledger.ts'

/** Compares what an engine gave with what it should have given; the message keeps the difference. */
export function same(actual: unknown, expected: unknown, what: string): void {
  // Nearly always they are equal to the letter, and comparing text is quick.
  if (JSON.stringify(actual) === JSON.stringify(expected)) return
  try {
    assert.deepEqual(plain(actual), plain(expected))
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error })
  }
}

/** Compares histories, each record's by itself where the engine has no order for all of them. */
export function sameHistory(
  actual: readonly AuditRecord[],
  expected: readonly Told[],
  order: 'total' | 'per-record',
  what: string,
): void {
  const told = actual.map(({ seq, cursor, ...rest }): Told => rest)
  if (order === 'total') same(told, expected, what)
  else same(byRecord(told), byRecord(expected), what)
}

function byRecord(history: readonly Told[]): readonly Told[] {
  const name = ({ kind, tenant_id, id }: Told) => nameOf(kind, tenant_id, id)
  return history.toSorted((a, b) => (name(a) === name(b) ? 0 : name(a) < name(b) ? -1 : 1))
}
