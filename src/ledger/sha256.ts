import { hash } from 'node:crypto'

// SHA-256 of texts. Node has it in `node:crypto`, which takes five milliseconds to load: a third of what a process waits for that opens
// a ledger and submits a job. So the first few are hashed here, if they are short, and all others by Node.

const FEW = 8
const SHORT = 2048

const BLOCK_BYTES = 64
const LENGTH_BYTES = 8
const ROUNDS = 64

let hashed = 0

/** In lowercase hexadecimal digits. */
export function sha256(text: string): string {
  if (hashed >= FEW || text.length > SHORT) return hash('sha256', text, 'hex')
  hashed++
  return sha256Here(text)
}

/** The same, without Node. */
export function sha256Here(text: string): string {
  const bytes = padded(text)
  const state = initial()
  const words = new Int32Array(ROUNDS)
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    schedule(words, bytes, at)
    compress(state, words)
  }
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

/** A one, zeros, and how many bits there were, up to whole blocks. */
function padded(text: string): Buffer {
  const length = Buffer.byteLength(text)
  const blocks = Math.ceil((length + 1 + LENGTH_BYTES) / BLOCK_BYTES)
  const bytes = Buffer.alloc(blocks * BLOCK_BYTES)
  bytes.write(text)
  bytes[length] = 0x80
  bytes.writeUInt32BE(length * 8, bytes.length - 4)
  return bytes
}

function schedule(words: Int32Array, bytes: Buffer, at: number): void {
  for (let i = 0; i < 16; i++) words[i] = bytes.readInt32BE(at + 4 * i)
  for (let i = 16; i < ROUNDS; i++) {
    const a = words[i - 15] as number
    const b = words[i - 2] as number
    const mixedA = turned(a, 7) ^ turned(a, 18) ^ (a >>> 3)
    const mixedB = turned(b, 17) ^ turned(b, 19) ^ (b >>> 10)
    words[i] = (words[i - 16] as number) + mixedA + (words[i - 7] as number) + mixedB
  }
}

function compress(state: Int32Array, words: Int32Array): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as Eight
  for (let i = 0; i < ROUNDS; i++) {
    const chosen = (e & f) ^ (~e & g)
    const mixedE = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
    const one = (h + mixedE + chosen + (CONSTANTS[i] as number) + (words[i] as number)) | 0
    const most = (a & b) ^ (a & c) ^ (b & c)
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + most) | 0
    h = g
    g = f
    f = e
    e = (d + one) | 0
    d = c
    c = b
    b = a
    a = (one + two) | 0
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] as number) + word
}

type Eight = [number, number, number, number, number, number, number, number]

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits))
}

/** Of the square roots of the first primes. */
function initial(): Int32Array {
  return Int32Array.of(
    0x6a09e667,
    0xbb67ae85,
    0x3c6ef372,
    0xa54ff53a,
    0x510e527f,
    0x9b05688c,
    0x1f83d9ab,
    0x5be0cd19,
  )
}

/** Of the cube roots. */
const CONSTANTS = [
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
]
