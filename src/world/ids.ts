import { randomFillSync } from 'node:crypto'
import type { IdSource } from '../core/decision.ts'

const BYTES_PER_ID = 16

/** Asking the system for randomness costs more than making the id: ask for many ids at once. */
const pool = new Uint8Array(BYTES_PER_ID * 1024)
let used = pool.length

/** Answers where in the pool they begin. */
function randomBytes(): number {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += BYTES_PER_ID
  return used - BYTES_PER_ID
}

let lastMs = 0
let seq = 0

/**
 * UUID version 7: sorted by time of making, also within a millisecond. There are two of them in every job at least, so
 * the text is put together here, in the same way as the library does it, without its detours.
 */
export const systemIds: IdSource = {
  next() {
    const random = randomBytes()
    const now = Date.now()
    if (now > lastMs) {
      lastMs = now
      // Starts low in its 32 bits, so that counting on from it cannot overflow within a millisecond.
      seq =
        ((pool[random + 6] as number) << 16) |
        ((pool[random + 7] as number) << 8) |
        (pool[random + 8] as number)
      writeTime(now)
    } else {
      seq++
    }
    return textOf(seq, random)
  },
}

/** `tttttttt-tttt-7sss-vsss-ssrrrrrrrrrr`: time, version, variant, seq, random. */
const TEXT_BYTES = 36
const text = Buffer.alloc(TEXT_BYTES, '-')
const HEX = Buffer.from('0123456789abcdef')
const TIME_PLACES = [0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12]
const RANDOM_BYTES = [11, 12, 13, 14, 15]
const RANDOM_AT = 26
const VERSION = 0x7
const VARIANT = 0x8

/** Only when it has changed. */
function writeTime(ms: number): void {
  let rest = ms
  for (let i = TIME_PLACES.length - 1; i >= 0; i--) {
    text[TIME_PLACES[i] as number] = HEX[rest % 16] as number
    rest = Math.floor(rest / 16)
  }
}

function textOf(count: number, random: number): string {
  // Of 32 bits: 12 after the version, 14 after the variant, and the last 6 before the random ones.
  text[14] = HEX[VERSION] as number
  text[15] = HEX[(count >>> 28) & 0xf] as number
  text[16] = HEX[(count >>> 24) & 0xf] as number
  text[17] = HEX[(count >>> 20) & 0xf] as number
  text[19] = HEX[VARIANT | ((count >>> 18) & 0x3)] as number
  text[20] = HEX[(count >>> 14) & 0xf] as number
  text[21] = HEX[(count >>> 10) & 0xf] as number
  text[22] = HEX[(count >>> 6) & 0xf] as number
  const last = ((count << 2) & 0xfc) | ((pool[random + 10] as number) & 0x3)
  text[24] = HEX[last >>> 4] as number
  text[25] = HEX[last & 0xf] as number
  for (let i = 0; i < RANDOM_BYTES.length; i++) {
    const byte = pool[random + (RANDOM_BYTES[i] as number)] as number
    text[RANDOM_AT + 2 * i] = HEX[byte >>> 4] as number
    text[RANDOM_AT + 2 * i + 1] = HEX[byte & 0xf] as number
  }
  return text.toString('latin1')
}
