import { expect, it } from 'vitest'
import { wayTaken } from './way-taken.ts'

it('the way that a record took is that of its moves, each once', () => {
  const moved = (old_state: string | null, new_state: string) => ({
    event: 'moved' as const,
    old_state,
    new_state,
  })
  const taken = wayTaken([
    moved(null, 'pending'),
    moved('pending', 'fetching'),
    moved('fetching', 'retrying'),
    moved('retrying', 'fetching'),
    moved('fetching', 'retrying'),
    { event: 'refused', old_state: 'fetching', new_state: 'indexed' },
    { event: 'noted', old_state: 'fetching', new_state: 'fetching' },
  ])
  expect([...taken]).toEqual(['pending>fetching', 'fetching>retrying', 'retrying>fetching'])
})
