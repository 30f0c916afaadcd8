import { describe, expect, it } from 'vitest'
import { Layers } from './layers.ts'

describe('a map that forgets in slices', () => {
  it('finds what is newest, in whatever slice it is', () => {
    const layers = new Layers<number>()
    layers.set('t', 'a', 1)
    layers.set('t', 'b', 1)
    layers.seal(10)
    layers.set('t', 'a', 2)
    layers.set('t', 'b', 1)
    layers.seal(20)
    expect([layers.get('t', 'a'), layers.get('t', 'b'), layers.get('t', 'c')]).toEqual([2, 1, undefined])
    expect([...layers.entries()].toSorted()).toEqual([
      ['t', 'a', 2],
      ['t', 'b', 1],
    ])
  })

  it('drops the slices that end by a seq, and no others', () => {
    const layers = new Layers<number>()
    layers.set('t', 'a', 1)
    layers.seal(10)
    layers.set('t', 'b', 2)
    layers.seal(20)
    layers.set('t', 'c', 3)
    layers.drop(19)
    expect([layers.get('t', 'a'), layers.get('t', 'b'), layers.get('t', 'c')]).toEqual([undefined, 2, 3])
  })

  it('deletes in every slice', () => {
    const layers = new Layers<number>()
    layers.set('t', 'a', 1)
    layers.seal(10)
    layers.set('t', 'a', 2)
    layers.delete('t', 'a')
    expect(layers.get('t', 'a')).toBeUndefined()
  })
})
