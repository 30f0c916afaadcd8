// Compares a ledger with what it should hold, in every way that it can be looked at: by the engine, and by the naive
// reader, which judges the files themselves.
import assert from 'node:assert/strict'
import { change } from '../../src/core/decision.ts'
import { machines, type RecordKind } from '../../src/core/machines/all.ts'
import type { Store } from '../../src/store/store.ts'
import { observeNextDue } from '../../src/testing/conformance/history/observe.ts'
import {
  countsIn,
  findIn,
  headsIn,
  sortHeads,
} from '../../src/testing/conformance/history/reference-reads.ts'
import { same, sameHistory } from '../../src/testing/conformance/history/same.ts'
import { auditAll, findAll } from '../../src/testing/conformance/reading.ts'
import type { ExpectedLedger, SlotOwners } from './expected-ledger.ts'
import type { Files, NaiveLedger } from './naive-reader.ts'
import { readLedger } from './naive-reader.ts'

export const KINDS = Object.keys(machines) as readonly RecordKind[]
const QUEUES = ['read', 'push:send', 'push:ocr', 'push:embedding']
const PAGE = 1000
const MOST_SHOWN = 500

/** What is seen of the history: all of it, or only what retention left of it. */
export interface Looking {
  readonly history: 'whole' | 'what is kept'
}

/** Everything that a reader can see. */
export async function compareStore(
  store: Store,
  { model }: ExpectedLedger,
  { history }: Looking = { history: 'whole' },
): Promise<void> {
  for (const kind of KINDS) {
    same(await findAll(store, { kind, limit: PAGE }), findIn(model, { kind }), `every ${kind}`)
    const counted = Object.entries(await store.counts(kind)).filter(([, n]) => n !== 0)
    same(counted.toSorted(), Object.entries(countsIn(model, kind)).toSorted(), `counts of ${kind}`)
  }
  const told = await auditAll(store, { limit: PAGE })
  const expected = history === 'whole' ? model.log : model.log.slice(model.log.length - told.length)
  sameHistory(told, expected, 'total', 'the history')
  await observeNextDue(store, model)
  const heads = await store.ready(QUEUES, PAGE, sortHeads)
  same(heads, headsIn(model, QUEUES, PAGE), 'ready work')
}

/** What only a writer can be asked: who owns what, and how much of each limit is used. Writes nothing. */
export async function compareDevices(store: Store, { claims, slots }: ExpectedLedger): Promise<void> {
  const owners = new Map<string, string | undefined>()
  let now = 0
  await store.transact([], (given) => {
    now = given.now
    for (const name of claims.keys()) {
      const [tenant_id, key] = JSON.parse(name) as [string, string]
      owners.set(name, given.ownerOf({ tenant_id, key }))
    }
    return change(null, {})
  })
  same([...owners], [...claims], 'claims')
  const used: [string, number][] = []
  await store.ready([], 1, (_, view) => {
    for (const name of slots.keys()) used.push([name, view.used(...(JSON.parse(name) as [string, string]))])
  })
  same(
    used,
    [...slots].map(([name, owners]) => [name, stillHeld(owners, now).length]),
    'slots',
  )
}

/** What the files say, without any code of the engine. */
export function compareFiles(
  files: Files,
  folder: string,
  expected: ExpectedLedger,
  looking: Looking = { history: 'whole' },
): NaiveLedger {
  const naive = readLedger(files, folder)
  compareNaive(naive, expected, looking)
  return naive
}

export function compareNaive(
  naive: NaiveLedger,
  { model, claims, slots }: ExpectedLedger,
  { history }: Looking,
): void {
  const told = naive.history.map(({ seq, cursor, ...rest }) => canonical(rest))
  const expected = history === 'whole' ? model.log : model.log.slice(model.log.length - told.length)
  sameTexts(told, expected.map(canonical), 'history in the files')
  sameTexts(sorted(naive.state.records.values()), sorted(model.records.values()), 'records in the files')
  same([...naive.state.claims].toSorted(), [...claims].toSorted(), 'claims in the files')
  same(heldAt(naive.state.slots, naive.lastMs), heldAt(slots, naive.lastMs), 'slots in the files')
}

/** Who holds what at a time. Files may go on naming those whose time is over. */
function heldAt(slots: SlotOwners, now: number): readonly (readonly [string, readonly unknown[]])[] {
  return [...slots]
    .map(([name, owners]) => [name, stillHeld(owners, now)] as const)
    .filter(([, held]) => held.length > 0)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function stillHeld(owners: ReadonlyMap<string, number>, now: number): readonly unknown[] {
  return [...owners].filter(([, until]) => until > now).toSorted(([a], [b]) => (a < b ? -1 : 1))
}

/** The engine gives every place in the history the seq that it has in the files. */
export async function comparePlaces(store: Store, naive: NaiveLedger): Promise<void> {
  const places = (await auditAll(store, { limit: PAGE })).map(({ seq }) => seq)
  same(
    places,
    naive.history.map(({ seq }) => seq),
    'places in the history',
  )
}

export async function mustBeSound(store: Store): Promise<void> {
  assert.deepEqual(await store.check(), [], 'check() finds nothing')
}

/** Says where they differ, and not more of them than anybody reads. */
function sameTexts(actual: readonly string[], expected: readonly string[], what: string): void {
  const length = Math.max(actual.length, expected.length)
  for (let n = 0; n < length; n++) {
    if (actual[n] === expected[n]) continue
    const texts = [actual[n], expected[n]].map((text) => text?.slice(0, MOST_SHOWN) ?? 'nothing')
    const counts = `${actual.length} of ${expected.length}`
    throw new Error(`${what}, ${counts}, the ${n + 1}th:\n is: ${texts[0]}\n not: ${texts[1]}`)
  }
}

function sorted(records: Iterable<object>): readonly string[] {
  return [...records].map(canonical).toSorted()
}

/** Records are compared again and again, and those that were written do not change. */
const texts = new WeakMap<object, string>()

/** The same text for the same content, whatever the order of the fields. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const known = texts.get(value)
  if (known !== undefined) return known
  const text = Array.isArray(value) ? `[${value.map(canonical).join()}]` : canonicalObject(value)
  if (Object.isFrozen(value)) texts.set(value, text)
  return text
}

function canonicalObject(object: object): string {
  const fields = Object.entries(object).filter(([, value]) => value !== undefined)
  fields.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${canonical(value)}`).join()}}`
}
