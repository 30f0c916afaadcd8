import type { Finding } from '../../store/store.ts'
import { safeText } from './safe-text.ts'

/** Sealed history is not repaired: nothing else depends on it, and nothing else says the same. */
export function isSealedHistory(where: string): boolean {
  return /[/]audit[/][^/]+$/.test(where)
}

/** `where: what`, where some of what is found begins with the place itself. */
export function findingText({ where, what }: Finding): string {
  const rest = what.startsWith(`${where}, `) ? what.slice(where.length + 2) : what
  return safeText(`${where}: ${rest}`)
}
