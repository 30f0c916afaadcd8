import { rowBytes } from './row-size.ts'
import { MOST_BYTES_AT_ONCE, MOST_ROWS_AT_ONCE, type RowWrite } from './service.ts'

/** What is sent is counted, and that is JSON with the names of all columns: about half of it is what was to be written. */
const MOST_BYTES = MOST_BYTES_AT_ONCE / 2

function bytesOfWrites(writes: readonly RowWrite[]): number {
  let bytes = 0
  for (const write of writes) if (write.verb !== 'delete') bytes += rowBytes('', write.rk, write.columns)
  return bytes
}

export function fitsAtOnce(writes: readonly RowWrite[], mostRows = MOST_ROWS_AT_ONCE): boolean {
  return writes.length <= mostRows && bytesOfWrites(writes) <= MOST_BYTES
}

/** What stands around each row when it is sent. */
const AROUND_BYTES = 2000

/** Whether the service takes them at once, counted exactly where it is a near thing. */
export function canBeSent(writes: readonly RowWrite[]): boolean {
  if (writes.length > MOST_ROWS_AT_ONCE) return false
  if (bytesOfWrites(writes) <= MOST_BYTES) return true
  const sent = writes.map((write) => Buffer.byteLength(JSON.stringify(write)) + AROUND_BYTES)
  return sent.reduce((sum, bytes) => sum + bytes) <= MOST_BYTES_AT_ONCE
}

/** In their order, no more in each than can be written at once. */
export function groupsOfWrites(
  writes: readonly RowWrite[],
  mostRows = MOST_ROWS_AT_ONCE,
): readonly (readonly RowWrite[])[] {
  const groups: RowWrite[][] = []
  let bytes = 0
  for (const write of writes) {
    const group = groups.at(-1)
    const more = bytesOfWrites([write])
    if (group === undefined || group.length === mostRows || bytes + more > MOST_BYTES) {
      groups.push([write])
      bytes = more
    } else {
      group.push(write)
      bytes += more
    }
  }
  return groups
}
