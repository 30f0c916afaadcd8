import { LastBytes } from './last-bytes.ts'

/** So much of the beginning, and so much of the end, is kept for reports. */
const KEPT_BYTES = 64 * 1024

/** The beginning and the end of what a program prints, as text: what is not UTF-8 shows as U+FFFD. */
export class OutputEnds {
  readonly #head: Buffer[] = []
  #headBytes = 0
  readonly #tail = new LastBytes(KEPT_BYTES)

  add(bytes: Buffer): void {
    const room = KEPT_BYTES - this.#headBytes
    if (room > 0) {
      const kept = Buffer.from(bytes.subarray(0, room))
      this.#head.push(kept)
      this.#headBytes += kept.length
    }
    this.#tail.add(bytes)
  }

  get head(): string {
    // All of it fits: the same text, also where it ends in half a character.
    if (this.#tail.dropped === 0) return this.tail
    // What is left over of a character that was cut in two is not shown.
    return new TextDecoder().decode(Buffer.concat(this.#head), { stream: true })
  }

  get tail(): string {
    const bytes = this.#tail.bytes()
    return new TextDecoder().decode(this.#tail.dropped === 0 ? bytes : fromWholeCharacter(bytes))
  }
}

/** Most bytes of a character that can follow its first. */
const MOST_FOLLOWING = 3

function fromWholeCharacter(bytes: Buffer): Buffer {
  let at = 0
  while (at < MOST_FOLLOWING && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++
  return bytes.subarray(at)
}
