import { crc32 } from 'node:zlib'
import { SeededRandom } from 'waybill/testing'

/** Dice that fall the same way for the same name, whenever and in whichever order they are asked. */
export class Dice {
  readonly #random: SeededRandom

  constructor(...name: readonly (string | number)[]) {
    this.#random = new SeededRandom(crc32(name.join('/')))
  }

  /** True for this share of all names, between 0 and 1. */
  chance(share: number): boolean {
    return this.#random.next() < share
  }

  between([least, most]: readonly [number, number]): number {
    return least + (most - least) * this.#random.next()
  }

  oneOf<T>(things: readonly [T, ...T[]]): T {
    return things[Math.floor(this.#random.next() * things.length)] ?? things[0]
  }
}
