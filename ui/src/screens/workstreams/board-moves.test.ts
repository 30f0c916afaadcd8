import { describe, expect, test } from 'vitest'
import type { Board, BoardCard } from '../../../../src/core/group/board.ts'
import { dropOn, heldCard, isEmptyBoard, jobsInWords, keyOfCard, welcomeOf } from './board-moves.ts'

const NO_JOBS = { open: 0, succeeded: 0, failed: 0, cancelled: 0, is_more: false }

const card: BoardCard = {
  tenant_id: 't',
  workstream_id: 'w',
  run_id: null,
  state: 'running',
  since: '2026-01-01T00:00:00Z',
  etag: '1',
  lane: 'running',
  lane_reason: 'It is running',
  jobs: NO_JOBS,
  failing_job: null,
  moves: [
    { lane: 'waiting', state: null, allowed: false, why_not: 'It is running and cannot become ready' },
    { lane: 'quarantine', state: 'failed', allowed: true, why_not: null },
  ],
}

function board(items: readonly BoardCard[]): Board {
  return {
    lanes: [
      { lane: 'waiting', about: '', items: [], is_more: false },
      { lane: 'running', about: '', items, is_more: false },
    ],
  }
}

describe('dropping a card', () => {
  test('on a lane that takes it is a move', () => {
    expect(dropOn('quarantine', card)).toMatchObject({ is: 'move', move: { state: 'failed' } })
  })
  test('on one that does not says why', () => {
    expect(dropOn('waiting', card)).toEqual({ is: 'refused', why: 'It is running and cannot become ready' })
    expect(dropOn('fixing', card)).toEqual({ is: 'refused', why: 'There is no such move' })
  })
  test('where it was is nothing', () => {
    expect(dropOn('running', card)).toEqual({ is: 'nothing' })
  })
})

test('lanes say whether they take the card that is held', () => {
  expect(welcomeOf('quarantine', card)).toBe('yes')
  expect(welcomeOf('waiting', card)).toBe('no')
  expect(welcomeOf('running', card)).toBe('home')
  expect(welcomeOf('waiting', null)).toBe('none')
})

test('a card that has moved by itself is no longer held', () => {
  const held = { key: keyOfCard(card), from: 'running' } as const
  expect(heldCard(board([card]), held)).toBe(card)
  expect(heldCard(board([]), held)).toBeNull()
  expect(heldCard(board([card]), null)).toBeNull()
})

test('a board without cards is empty', () => {
  expect(isEmptyBoard(board([]))).toBe(true)
  expect(isEmptyBoard(board([card]))).toBe(false)
})

test('jobs are counted in words', () => {
  expect(jobsInWords(NO_JOBS)).toBe('no jobs yet')
  expect(jobsInWords({ ...NO_JOBS, open: 3, failed: 1, is_more: true })).toBe('3 open, 1 failed, and more')
})
