import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NearestPlaces } from './nearest-places.ts'
import { comparePlaces } from './place.ts'

const place = fc.record({
  at: fc.nat(20),
  tenant_id: fc.constantFrom('a', 'b'),
  id: fc.nat(1000).map(String),
})

describe('NearestPlaces', () => {
  it('keeps the first few of all, in their order', () => {
    fc.assert(
      fc.property(
        fc.array(place),
        fc.integer({ min: 1, max: 8 }),
        fc.boolean(),
        (places, size, descending) => {
          const nearest = new NearestPlaces<(typeof places)[number]>(size, descending)
          for (const one of places) {
            const isKept = nearest.mayKeep([one.at, one.at])
            const before = JSON.stringify(nearest.values())
            nearest.add(one, one)
            if (!isKept) expect(JSON.stringify(nearest.values())).toBe(before)
          }
          const sign = descending ? -1 : 1
          const sorted = [...places].sort((a, b) => sign * comparePlaces(a, b)).slice(0, size)
          const plain = (list: readonly object[]) => list.map((one) => JSON.stringify(one))
          expect(plain(nearest.values())).toEqual(plain(sorted))
        },
      ),
    )
  })
})
