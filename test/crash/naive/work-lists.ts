import type { Json, JsonObject } from './delta-file.ts'

type Entry = readonly (Json | undefined)[]

/** What there is to do can be told from the records, and has to be listed just so. */
export function mustListWork(whole: JsonObject, index: JsonObject, records: Iterable<JsonObject>): void {
  const due: Entry[] = []
  const ready: Entry[] = []
  const waiting: Entry[] = []
  const rows: Entry[] = []
  for (const record of records) {
    const { kind, tenant_id, job_id } = record
    if (kind === 'outbox' && record.state === 'PENDING') rows.push([tenant_id, job_id, record.outbox_id])
    if (kind !== 'job') continue
    if (record.due_at !== null) due.push([Date.parse(record.due_at as string), tenant_id, job_id])
    for (const topic of record.waits_for as readonly Json[]) waiting.push([tenant_id, topic, job_id])
    if (record.ready === null) continue
    const { queue, group, rank, limits, unlimited } = record.ready as JsonObject
    const more = unlimited === true ? [true] : []
    ready.push([queue, tenant_id, group, rank, job_id, limits, ...more])
  }
  const work = whole.work as { readonly [list: string]: readonly Entry[] }
  mustBe('due', work.due, due)
  mustBe('ready', work.ready, ready)
  mustBe('waiting', work.waiting, waiting)
  mustBe('rows', work.rows, rows)
  // Who has a place under a limit is not told by the records.
  mustBe('slots', work.slots, work.slots ?? [])
  const { groups, limits } = index.work as { readonly [list: string]: readonly Entry[] }
  mustBe('groups', groups, counted(ready, 3))
  mustBe('limits', limits, counted(work.slots ?? [], 2))
}

/** How many entries have the same first elements. */
function counted(entries: readonly Entry[], elements: number): Entry[] {
  const counts = new Map<string, number>()
  for (const entry of entries) {
    const name = JSON.stringify(entry.slice(0, elements))
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].map(([name, count]) => [...(JSON.parse(name) as Json[]), count])
}

/** In order, and these and no others. */
function mustBe(name: string, entries: readonly Entry[] | undefined, wanted: readonly Entry[]): void {
  const said = JSON.stringify(entries)
  const expected = JSON.stringify(wanted.toSorted(byElements))
  if (said !== expected) throw new Error(`${name} should be ${expected} and is ${said}`)
}

function byElements(a: Entry, b: Entry): number {
  const at = a.findIndex((element, i) => element !== b[i])
  if (at === -1) return 0
  return (a[at] as string | number) < (b[at] as string | number) ? -1 : 1
}
