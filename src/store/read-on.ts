// Filters that no engine has. What does not match is passed over here, page by page, and no further than so many records: a
// page may then be short, or empty, and still have a next one.
import { type Cursor, LARGEST_PAGE, type Page, pageSize } from './query.ts'

export interface ReadOn<T> {
  page(part: { readonly after: Cursor | undefined; readonly limit: number }): Promise<Page<T>>
  matches(item: T): boolean
  readonly after?: Cursor | undefined
  /** Most that are answered. */
  readonly limit?: number | undefined
  /** Most that are looked at. */
  readonly most: number
  /** What was found by now will do: whoever asked is gone, or has waited for long enough. */
  isEnough?(): boolean
}

/** The next ones that match, as many as a page has. */
export async function readOn<T>({ page, matches, most, isEnough, ...asked }: ReadOn<T>): Promise<Page<T>> {
  const wanted = pageSize(asked.limit)
  const found: T[] = []
  let { after } = asked
  let limit = wanted
  for (let left = most; ; ) {
    const { items, next } = await page({ after, limit: Math.min(limit, left) })
    const end = endOf(items, matches, wanted - found.length)
    // Only an engine knows the cursor of a record: a page that ends with it has that as its next.
    if (end < items.length) {
      limit = end
      continue
    }
    for (const item of items) if (matches(item)) found.push(item)
    left -= Math.max(items.length, 1)
    if (next === null || found.length === wanted || left <= 0 || isEnough?.() === true)
      return { items: found, next }
    after = next
    limit = Math.min(limit * 2, LARGEST_PAGE)
  }
}

/** How many items there are up to the last one that has room, but all of them when all do. */
function endOf<T>(items: readonly T[], matches: (item: T) => boolean, room: number): number {
  let count = 0
  let end = items.length
  for (const [i, item] of items.entries()) {
    if (!matches(item)) continue
    count++
    if (count === room) end = i + 1
  }
  return count > room ? end : items.length
}
