import { entriesOf, type Json, type JsonObject, statesOf } from './delta-file.ts'
import { changedRecords, devices, newRecords } from './short-form.ts'

export const FOR_EVER = Number.POSITIVE_INFINITY

/** Everything a ledger holds, by name: JSON of kind, tenant and id; of tenant and key for claims and slots. */
export class NaiveState {
  seq = 0
  /** The time of the last change that a snapshot has. */
  ms = 0
  readonly records = new Map<string, JsonObject>()
  readonly claims = new Map<string, string>()
  /** Until when each owner holds one. */
  readonly slots = new Map<string, Map<string, number>>()
  readonly refusals = new Map<string, number>()
  #hasGaps = false

  /** Does what a line says. Throws when it does not follow from what is there. */
  apply(line: JsonObject, lastSeq: number): void {
    this.seq = lastSeq
    this.#hasGaps ||= line.event === 'repaired'
    if (line.event === 'closed' || line.event === 'repaired') return
    const etag = String(line.commit ?? line.seq)
    if (line.kind === 'document' && line.event === 'moved') this.#document(line, etag)
    for (const put of list(line.puts)) this.#put(put, etag)
    for (const record of newRecords(line)) this.#put({ kind: record.kind, new: record }, etag)
    for (const set of changedRecords(line)) this.#put(set, etag)
    for (const { tenant_id, key, owner } of devices(line, line.claims)) {
      const name = nameOf(tenant_id, key)
      const there = this.claims.get(name) ?? owner
      if (there !== owner) throw new Error(`${name} belongs to ${there}, not to ${owner}`)
      this.claims.set(name, owner as string)
    }
    for (const slot of devices(line, line.slots)) this.#slot(slot)
    for (const { kind, tenant_id, id, nth } of entriesOf(line)) {
      if (nth !== undefined) this.refusals.set(nameOf(kind, tenant_id, id), nth as number)
    }
  }

  #document(line: JsonObject, etag: string): void {
    const { tenant_id, doc_id } = line
    const name = nameOf('document', tenant_id, doc_id)
    // What made it may be among what a repair could not save.
    const isStrange = (line.created === true) === this.records.has(name)
    if (isStrange && !this.#hasGaps) throw new Error(`${name}: created, or not`)
    this.records.set(name, {
      kind: 'document',
      tenant_id,
      doc_id,
      state: statesOf(line).at(-1),
      updated_at: line.timestamp,
      adapter: line.adapter,
      metadata: line.metadata,
      retry_count: line.retry_count,
      max_retries: line.max_retries,
      error_type: line.error_type,
      error_message: line.error_message,
      ...(line.record as JsonObject | undefined),
      etag,
    })
  }

  #put(put: JsonObject, etag: string): void {
    if (put.new !== undefined) {
      const record = put.new as JsonObject
      const name = nameOf(put.kind, record.tenant_id, idOf(record))
      if (this.records.has(name)) throw new Error(`${name} is there already`)
      this.records.set(name, { ...record, etag })
      return
    }
    const name = nameOf(put.kind, put.tenant_id, put.id)
    const before = this.records.get(name)
    if (before === undefined) throw new Error(`${name} is not there`)
    this.records.set(name, { ...before, ...(put.set as JsonObject), etag })
  }

  #slot({ verb, tenant_id, key, owner, until }: JsonObject): void {
    const name = nameOf(tenant_id, key)
    const owners = this.slots.get(name) ?? new Map<string, number>()
    if (verb === 'take') owners.set(owner as string, (until as number | undefined) ?? FOR_EVER)
    else owners.delete(owner as string)
    this.slots.set(name, owners)
    if (owners.size === 0) this.slots.delete(name)
  }
}

export function nameOf(...parts: readonly (Json | undefined)[]): string {
  return JSON.stringify(parts)
}

function list(value: Json | undefined): readonly JsonObject[] {
  return (value ?? []) as readonly JsonObject[]
}

/** A step's id is `job/step`. */
function idOf(record: JsonObject): string {
  const { kind, job_id, step_id } = record
  if (kind === 'step') return `${job_id}/${step_id}`
  const field = { document: 'doc_id', queue: 'queue' }[kind as string] ?? `${kind}_id`
  return record[field] as string
}
