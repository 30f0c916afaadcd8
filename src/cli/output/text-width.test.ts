import { expect, it } from 'vitest'
import { cutTo, padTo, widthOf } from './text-width.ts'

it('counts columns of a terminal', () => {
  expect(['abc', 'é → …', '日本語', '👩‍👩‍👧', 'e\u0301'].map(widthOf)).toEqual([3, 5, 6, 2, 1])
})

it('cuts between characters, and says so', () => {
  expect(cutTo('abcdef', 6)).toBe('abcdef')
  expect(cutTo('abcdefg', 6)).toBe('abcde…')
  expect(cutTo('日本語の論文', 6)).toBe('日本…')
  expect(cutTo('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 5)).toBe('👩‍👩‍👧👩‍👩‍👧…')
  expect(cutTo('abc', 0)).toBe('')
})

it('fills up with spaces', () => {
  expect(padTo('日本', 6, 'left')).toBe('日本  ')
  expect(padTo('7', 3, 'right')).toBe('  7')
  expect(padTo('too long', 3, 'right')).toBe('too long')
})
