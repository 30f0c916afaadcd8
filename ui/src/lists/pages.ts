// A list that is read page by page, the newest first. What happens meanwhile changes the first page; so that nothing jumps
// under a reader's eyes, it is only taken in while they are at the top, and counted otherwise.

export interface PageAnswer<T> {
  readonly items: readonly T[]
  readonly next: string | null
}

export interface Listed<T> {
  readonly items: readonly T[]
  /** Where the next page begins; null when everything is there. */
  readonly next: string | null
}

/** A page more; what moved up meanwhile is not listed twice. */
export function extended<T>(before: Listed<T>, page: PageAnswer<T>, keyOf: (item: T) => string): Listed<T> {
  const there = new Set(before.items.map(keyOf))
  return {
    items: [...before.items, ...page.items.filter((item) => !there.has(keyOf(item)))],
    next: page.next,
  }
}
