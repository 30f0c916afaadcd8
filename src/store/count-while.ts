/** How many of a sorted list are before the first of which it is not true. */
export function countWhile<T>(sorted: readonly T[], isBefore: (one: T, index: number) => boolean): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(sorted[middle] as T, middle)) low = middle + 1
    else high = middle
  }
  return low
}
