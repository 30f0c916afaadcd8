import type { Json, JsonObject } from './delta-file.ts'

type Entry = readonly (Json | undefined)[]

/** What there is to do can be told from the records, and has to be listed just so. */
export function mustListWork(whole: JsonObject, index: JsonObject, records: Iterable<JsonObject>): void {
  const due: Entry[] = []
  const ready: Entry[] = []
  const waiting: Entry[] = []
  const rows: Entry[] = []
  const groups = new Map<string, number>()
  for (const record of records) {
    const { kind, tenant_id, job_id } = record
    if (kind === 'outbox' && record.state === 'PENDING') rows.push([tenant_id, job_id, record.outbox_id])
    if (kind !== 'job') continue
    if (record.due_at !== null) due.push([Date.parse(record.due_at as string), tenant_id, job_id])
    for (const topic of record.waits_for as readonly Json[]) waiting.push([tenant_id, topic, job_id])
    if (record.ready === null) continue
    const { queue, group, rank, limits } = record.ready as JsonObject
    ready.push([queue, tenant_id, group, rank, job_id, limits])
    const name = JSON.stringify([queue, tenant_id, group])
    groups.set(name, (groups.get(name) ?? 0) + 1)
  }
  const work = whole.work as { readonly [list: string]: readonly Entry[] }
  mustBe('due', work.due, due)
  mustBe('ready', work.ready, ready)
  mustBe('waiting', work.waiting, waiting)
  mustBe('rows', work.rows, rows)
  const counted = [...groups].map(([name, entries]) => [...(JSON.parse(name) as Json[]), entries])
  mustBe('groups', (index.work as { readonly groups: readonly Entry[] }).groups, counted)
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
