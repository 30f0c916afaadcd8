import { closest, distance } from 'fastest-levenshtein'

/** The one that is most likely meant; null when none looks like it. */
export function nearestOf(text: string, candidates: readonly string[]): string | null {
  if (candidates.length === 0) return null
  const lower = text.toLowerCase()
  const found = closest(
    lower,
    candidates.map((candidate) => candidate.toLowerCase()),
  )
  const limit = Math.max(2, Math.ceil(Math.max(text.length, found.length) / 3))
  if (distance(lower, found) > limit) return null
  return candidates.find((candidate) => candidate.toLowerCase() === found) ?? null
}
