import { gunzipSync } from 'node:zlib'
import type { Json, JsonObject } from './delta-file.ts'
import { FOR_EVER, NaiveState, nameOf } from './naive-state.ts'
import { hasDigest } from './sealed-file.ts'
import { mustListWork } from './work-lists.ts'

const KINDS = {
  states: 'document',
  jobs: 'job',
  steps: 'step',
  outbox: 'outbox',
  runs: 'run',
  workstreams: 'workstream',
  queues: 'queue',
  schedules: 'schedule',
  tokens: 'token',
} as const

/** Until when, if it is not until it is given back. */
type SlotEntry = readonly [tenant_id: string, key: string, owner: string, until?: number]

const USUAL = { retry_count: 0, max_retries: 3, error_type: null, error_message: null }

/** Null when anything about the file is wrong. */
export function readSnapshot(bytes: Buffer): NaiveState | null {
  let whole: JsonObject
  try {
    whole = JSON.parse(gunzipSync(bytes).toString('utf8')) as JsonObject
  } catch {
    return null
  }
  const index = whole.index as JsonObject
  if (!hasDigest(bytes, whole.trailer as JsonObject)) return null
  const state = new NaiveState()
  state.seq = whole.seq as number
  state.ms = Math.round((index.timestamp as number) * 1000)
  for (const [section, kind] of Object.entries(KINDS)) {
    for (const [tenant_id, id, value] of entriesOf(whole, section)) {
      const name = nameOf(kind, tenant_id, id)
      state.records.set(name, kind === 'document' ? documentOf(tenant_id, id, value as JsonObject) : value)
    }
  }
  for (const [tenant_id, key, owner] of entriesOf(whole, 'claims')) {
    state.claims.set(nameOf(tenant_id, key), owner as unknown as string)
  }
  for (const [tenant_id, name, count] of entriesOf(whole, 'refusals')) {
    const slash = name.indexOf('/')
    const kept = nameOf(name.slice(0, slash), tenant_id, name.slice(slash + 1))
    state.refusals.set(kept, count as unknown as number)
  }
  for (const [tenant_id, key, owner, until] of (whole.work as JsonObject).slots as readonly SlotEntry[]) {
    const name = nameOf(tenant_id, key)
    state.slots.set(name, (state.slots.get(name) ?? new Map()).set(owner, until ?? FOR_EVER))
  }
  mustAgree(whole, index, state)
  mustListWork(whole, index, state.records.values())
  return state
}

/** Numbers that are there twice have to be the same. */
function mustAgree(whole: JsonObject, index: JsonObject, { records }: NaiveState): void {
  const documents = [...records.values()].filter(({ kind }) => kind === 'document').length
  const said = [whole.document_count, index.document_count, documents]
  if (whole.seq !== index.seq || said.some((n) => n !== documents)) {
    throw new Error(`the snapshot says ${whole.seq} and ${index.seq}, ${said.join(' and ')}`)
  }
}

/** Records of a tenant other than `default` stand under tenant, tab, id; tabs and backslashes of a tenant are escaped. */
function entriesOf(whole: JsonObject, section: string): [tenant: string, id: string, value: JsonObject][] {
  // Ledgers of version 1.0 have neither queues nor schedules, and the first of 1.1 no tokens.
  return Object.entries((whole[section] ?? {}) as JsonObject).map(([key, value]) => {
    const tab = key.indexOf('\t')
    if (tab === -1) return ['default', key, value as JsonObject]
    const tenant = key.slice(0, tab).replace(/\\(.)/g, (_, char) => (char === 't' ? '\t' : char))
    return [tenant, key.slice(tab + 1), value as JsonObject]
  })
}

function documentOf(tenant_id: Json, doc_id: Json, compact: JsonObject): JsonObject {
  return { ...USUAL, ...compact, kind: 'document', tenant_id, doc_id }
}
