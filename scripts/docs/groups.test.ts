import { expect, it } from 'vitest'
import { groupedPages } from './groups.ts'

const page = (path: string) => ({ path, title: path, about: 'It is about something.', text: '' })

it('finds pages of the folders by themselves, and leaves out what is empty', () => {
  const groups = groupedPages([page('jobs.md'), page('moving/bullmq.md')])
  const move = groups.find(({ title }) => title === 'Move')
  expect(move?.folders).toEqual([{ title: 'Moving from', pages: [page('moving/bullmq.md')] }])
  expect(groups.find(({ title }) => title === 'Use')).toMatchObject({ pages: [page('jobs.md')], folders: [] })
})

it('has a place for a page that nobody has placed', () => {
  const groups = groupedPages([page('new-idea.md'), page('elsewhere/new.md')])
  expect(groups.at(-1)?.pages.map(({ path }) => path)).toEqual(['new-idea.md', 'elsewhere/new.md'])
})
