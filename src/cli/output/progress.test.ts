import { Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { ProgressBar } from './progress.ts'

/** A terminal, as far as a bar can tell. */
function terminal() {
  let shown = ''
  const write = (chunk: Buffer, _encoding: string, done: () => void) => {
    shown += chunk
    done()
  }
  const stream = Object.assign(new Writable({ write }), { isTTY: true, columns: 100, rows: 40 })
  return { stream: stream as unknown as NodeJS.WriteStream, shown: () => shown }
}

it('shows how far, how fast and how long still, once it takes a while', async () => {
  const { stream, shown } = terminal()
  const clock = { time: 1_000_000, now: () => clock.time }
  const bar = await ProgressBar.on(stream, clock)
  bar.update({ what: 'records', done: 0, total: 10_000 })
  clock.time += 100
  bar.update({ what: 'records', done: 100, total: 10_000 })
  expect(shown()).toBe('')
  clock.time += 1900
  bar.update({ what: 'records', done: 2500, total: 10_000 })
  bar.stop()
  expect(stripVTControlCharacters(shown())).toContain(
    'records ██████░░░░░░░░░░░░░░░░░░ 25% │ 2,500/10,000 │ 1,250/s │ 6s left',
  )
})

it('says nothing about what is over at once', async () => {
  const { stream, shown } = terminal()
  const bar = await ProgressBar.on(stream, { now: () => 0 })
  for (let done = 0; done <= 100; done++) bar.update({ what: 'records', done, total: 100 })
  bar.stop()
  expect(shown()).toBe('')
})
