import { placeInChange } from './aggregate.ts'
import type { Change } from './decision.ts'

/** Several changes as one, in an order whose every prefix is legal. */
export function together(parts: readonly Change[]): Change {
  return {
    puts: parts.flatMap(({ puts }) => puts).toSorted((a, b) => placeInChange(a) - placeInChange(b)),
    audit: parts.flatMap(({ audit }) => audit),
    claims: parts.flatMap(({ claims }) => claims),
    slots: parts.flatMap(({ slots }) => slots),
    signals: parts.flatMap(({ signals }) => signals),
  }
}
