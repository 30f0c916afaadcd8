/** Where a line stands in a run: by time of the last change where that is the order, then by tenant and id. */
export interface Place {
  /** Epoch milliseconds; 0 where the order is by tenant and id alone. */
  readonly at: number
  readonly tenant_id: string
  readonly id: string
}

export function comparePlaces(a: Place, b: Place): number {
  return a.at - b.at || compare(a.tenant_id, b.tenant_id) || compare(a.id, b.id)
}

/**
 * A place that can be kept. Names are cut out of the text of a block, and as long as they are those very strings, all of
 * that text stays in memory; so does whatever else the place was a part of.
 */
export function detached({ at, tenant_id, id }: Place): Place {
  return { at, tenant_id: copied(tenant_id), id: copied(id) }
}

function copied(text: string): string {
  return JSON.parse(JSON.stringify(text))
}

/** By code unit, like every order in the ledger. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
