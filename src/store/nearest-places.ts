import { countWhile } from './count-while.ts'
import { comparePlaces, type Place } from './place.ts'

/** Keeps the first few of many in an order, so that all of them can pass by. */
export class NearestPlaces<V> {
  readonly #size: number
  readonly #sign: 1 | -1
  readonly #kept: { readonly place: Place; readonly value: V }[] = []

  constructor(size: number, descending: boolean) {
    this.#size = size
    this.#sign = descending ? -1 : 1
  }

  add(place: Place, value: V): void {
    const at = countWhile(this.#kept, (kept) => this.#sign * comparePlaces(kept.place, place) < 0)
    if (at >= this.#size) return
    this.#kept.splice(at, 0, { place, value })
    if (this.#kept.length > this.#size) this.#kept.pop()
  }

  /** False: nothing between these times would be kept. */
  mayKeep([from, to]: readonly [from: number, to: number]): boolean {
    const worst = this.#kept[this.#size - 1]
    if (worst === undefined) return true
    return this.#sign === 1 ? from <= worst.place.at : to >= worst.place.at
  }

  values(): V[] {
    return this.#kept.map(({ value }) => value)
  }
}
