import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Change, change, type SlotChange } from '../../core/decision.ts'
import { Devices } from './devices.ts'
import { plainWork } from './sample-work.ts'

const NOW = 1000

function changeOf(parts: Partial<Change>): Change {
  return change(null, parts).change
}

function take(owner: string, max: number, key = 'k'): SlotChange {
  return { verb: 'take', tenant_id: 't', key, owner, max }
}

function release(owner: string, key = 'k'): SlotChange {
  return { verb: 'release', tenant_id: 't', key, owner }
}

describe('claims', () => {
  it('belong to whoever was first', () => {
    const devices = new Devices()
    const mine = changeOf({ claims: [{ tenant_id: 't', key: 'k', owner: 'me' }] })
    const yours = changeOf({ claims: [{ tenant_id: 't', key: 'k', owner: 'you' }] })
    expect(devices.takenClaim(mine)).toBeUndefined()
    devices.apply(mine)
    expect(devices.ownerOf({ tenant_id: 't', key: 'k' })).toBe('me')
    expect(devices.ownerOf({ tenant_id: 'other', key: 'k' })).toBeUndefined()
    expect(devices.takenClaim(mine)).toBeUndefined()
    expect(devices.takenClaim(yours)).toMatchObject({ key: 'k' })
  })
})

describe('slots', () => {
  const held = (...owners: readonly string[]) => {
    const devices = new Devices()
    devices.apply(changeOf({ slots: owners.map((owner) => take(owner, owners.length)) }))
    return devices
  }
  const isFull = (devices: Devices, ...slots: readonly SlotChange[]) =>
    devices.fullSlot(changeOf({ slots }), NOW) !== undefined

  it('are counted by key and tenant', () => {
    const devices = held('a', 'b')
    const { used } = devices.useAt(NOW)
    expect([used('t', 'k'), used('t', 'other'), used('z', 'k')]).toEqual([2, 0, 0])
    devices.apply(changeOf({ slots: [release('a'), release('a'), release('nobody', 'other')] }))
    expect(used('t', 'k')).toBe(1)
    devices.apply(changeOf({ slots: [release('b')] }))
    expect(used('t', 'k')).toBe(0)
  })

  it('are full when as many hold one as there are, unless the asker does', () => {
    expect(isFull(held('a'), take('b', 2))).toBe(false)
    expect(isFull(held('a'), take('b', 1))).toBe(true)
    expect(isFull(held('a'), take('a', 1))).toBe(false)
    expect(isFull(held('a', 'b'), take('a', 1))).toBe(false)
  })

  // A batch that cancelled one job and submitted another was refused at the limit, though it frees what it takes.
  it('count what the same change took and released before', () => {
    expect(isFull(held('a'), release('a'), take('b', 1))).toBe(false)
    expect(isFull(held('a'), take('b', 1), release('a'))).toBe(true)
    expect(isFull(held(), take('a', 1), take('b', 1))).toBe(true)
    expect(isFull(held(), take('a', 1), take('a', 1))).toBe(false)
    expect(isFull(held(), take('a', 1), release('a'), take('b', 1))).toBe(false)
    expect(isFull(held('a'), release('a'), take('a', 1))).toBe(false)
    expect(isFull(held(), take('a', 1, 'x'), take('b', 1, 'y'))).toBe(false)
  })

  it('are the same for those that were stored, whatever changes', () => {
    const owner = fc.constantFrom<string>('a', 'b', 'c', 'd', 'e')
    const key = fc.constantFrom<string>('k', 'l')
    const owners = fc.uniqueArray(owner).map((names) => names.sort())
    const change = fc.record({ verb: fc.constantFrom('take' as const, 'release' as const), owner, key })
    fc.assert(
      fc.property(owners, owners, fc.array(change, { maxLength: 20 }), (ofK, ofL, changes) => {
        const slots = (['k', 'l'] as const).flatMap((name, i) =>
          ([ofK, ofL][i] ?? []).map((one) => ['t', name, one] as const),
        )
        const [stored, taken] = [new Devices(), new Devices()]
        stored.store(plainWork({ slots }))
        for (const [, name, one] of slots) taken.apply(changeOf({ slots: [take(one, 9, name)] }))
        for (const { verb, owner: one, key: name } of changes) {
          const slot = verb === 'take' ? take(one, 3, name) : release(one, name)
          const asked = changeOf({ slots: [slot] })
          expect(stored.fullSlot(asked, NOW)).toEqual(taken.fullSlot(asked, NOW))
          const undos = [stored, taken].map((devices) => devices.apply(asked))
          if (one === 'e') for (const undo of undos) undo?.()
          expect(stored.useAt(NOW).used('t', name)).toBe(taken.useAt(NOW).used('t', name))
        }
        expect([...stored.holders(NOW)]).toEqual([...taken.holders(NOW)])
      }),
    )
  })

  it('come out the same as when the changes are made one by one', () => {
    const owner = fc.constantFrom<string>('a', 'b', 'c', 'd')
    const slot = fc.oneof(
      fc.record({ verb: fc.constant('take'), owner }),
      fc.record({ verb: fc.constant('release'), owner }),
    )
    fc.assert(
      fc.property(
        fc.uniqueArray(owner, { maxLength: 2 }),
        fc.array(slot, { maxLength: 6 }),
        (before, slots) => {
          const changes = slots.map((change) =>
            change.verb === 'take' ? take(change.owner, 2) : release(change.owner),
          )
          const holders = new Set(before)
          const fits = changes.every((change) => {
            if (change.verb === 'take') holders.add(change.owner)
            else holders.delete(change.owner)
            return holders.size <= 2
          })
          expect(isFull(held(...before), ...changes)).toBe(!fits)
        },
      ),
    )
  })
})
