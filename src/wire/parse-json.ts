import type { Json } from '../core/json.ts'
import { DEEPEST } from '../core/names.ts'
import { BadMessage } from '../errors/message-errors.ts'

const NEXT = 'Send one JSON object, in UTF-8.'

/** Whoever looks into it afterwards may do so by recursion: it has no more levels than anything that is stored. */
export function parseJson(bytes: Uint8Array): Json {
  let value: Json
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as Json
  } catch (error) {
    const message = `The body is not JSON: ${(error as Error).message}`
    throw new BadMessage({ message, next: NEXT }, { cause: error })
  }
  if (isDeeperThan(value, DEEPEST + 1)) {
    throw new BadMessage({ message: `The body is nested deeper than ${DEEPEST} levels`, next: 'Flatten it.' })
  }
  return value
}

function isDeeperThan(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(item, levels - 1))
}
