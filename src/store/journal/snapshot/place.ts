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

/** By code unit, like every order in the ledger. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
