import { expect, it } from 'vitest'
import { extended } from './pages.ts'

const keyOf = ({ id }: { readonly id: string }) => id
const items = (...ids: string[]) => ids.map((id) => ({ id }))

it('a page more comes after what is there, and what moved up meanwhile is not listed twice', () => {
  const first = { items: items('a', 'b'), next: '1' }
  expect(extended(first, { items: items('b', 'c'), next: null }, keyOf)).toEqual({
    items: items('a', 'b', 'c'),
    next: null,
  })
})
