import { expect, it } from 'vitest'
import { SeededRandom } from '../../testing/seeded-random.ts'
import { GuardedLines } from './guarded-lines.ts'

it('a line that begins like one of ours gets a space in front, however it comes', () => {
  const random = new SeededRandom(11)
  const lines = [
    '--- waybill log x',
    '--- waybill lo',
    '--- a/file',
    'x --- waybill log x',
    '',
    '--- waybill log ',
    '-',
  ]
  for (let round = 0; round < 300; round++) {
    const text = Array.from({ length: 8 }, () => lines[Math.floor(random.next() * lines.length)]).join('\n')
    const guard = new GuardedLines()
    let shown = ''
    for (let at = 0; at < text.length; ) {
      const end = at + 1 + Math.floor(random.next() * 24)
      shown += Buffer.from(guard.pass(Buffer.from(text.slice(at, end)))).toString()
      at = end
    }
    shown += Buffer.from(guard.flush()).toString()
    expect(shown).toBe(text.replaceAll(/^--- waybill log /gm, ' --- waybill log '))
  }
})
