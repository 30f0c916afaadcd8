import { LRUCache } from 'lru-cache'

/**
 * Keeps what was used last, up to so many. By its number of entries a cache would make room for all of them at once, which takes
 * some milliseconds each, and a ledger opens with several; by their size, of one each, it grows with what is in it.
 */
export function recentlyUsed<K extends object | string, V extends object | number | true>(
  most: number,
): LRUCache<K, V> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 })
}
