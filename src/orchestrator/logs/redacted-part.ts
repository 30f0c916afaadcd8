import type { Redact } from '../../ledger/redact.ts'

interface Parts {
  readonly before: string
  readonly part: string
  readonly after: string
}

/**
 * A part of a text without its secrets. One that begins before the part or ends after it can only be seen with what stands
 * around it; so all of it is cleaned, and what belongs to the surroundings is taken away again.
 */
export function redactedPart({ before, part, after }: Parts, redact: Redact): string {
  const whole = redact(before + part + after)
  const start = sameAtStart(whole, redact(before))
  const end = Math.min(sameAtEnd(whole, redact(after)), whole.length - start)
  return whole.slice(start, whole.length - end)
}

function sameAtStart(a: string, b: string): number {
  let same = 0
  while (same < b.length && a[same] === b[same]) same++
  return same
}

function sameAtEnd(a: string, b: string): number {
  let same = 0
  while (same < b.length && a.at(-1 - same) === b.at(-1 - same)) same++
  return same
}
