import type { Given } from './decision.ts'

/**
 * What is given to a decision that is only asked what it would say. It makes no ids, and knows nothing of claims and limits:
 * those are looked at when something is done.
 */
export function onlyAsked(now: number, get: Given['get']): Given {
  return { now, ids: { next: () => '' }, get, ownerOf: () => undefined, isFull: () => false }
}
