import { expect, it } from 'vitest'
import { SeededRandom } from '../../testing/seeded-random.ts'
import type { ReadFile } from '../../world/file-system.ts'
import { LOG_MARK, logMarkOf } from '../process/log-mark.ts'
import { LogSections } from './log-sections.ts'
import { OwnedText } from './owned-text.ts'

const [A, B] = ['a', 'b'].map((job_id) => logMarkOf({ ledger: 'l', tenant_id: 't', job_id })) as [
  string,
  string,
]

/** As long as the text was at a time. */
function fileOf(text: string, size = Buffer.byteLength(text)): ReadFile {
  const bytes = Buffer.from(text).subarray(0, size)
  return {
    identity: 'x',
    size,
    read: async (from, length) => bytes.subarray(from, from + length),
    close: async () => {},
  }
}

async function textOf(mark: string, file: ReadFile, sections = new LogSections()): Promise<string> {
  const owned = new OwnedText(file, await sections.rangesOf(mark, file))
  return (await owned.read(0, owned.size)).toString()
}

const line = (mark: string) => `${LOG_MARK}${mark}\n`

it('each has what follows its own lines, and nobody what was there before', async () => {
  const file = fileOf(`secret\n${line(A)}one\n${line(B)}two\n${line(A)}three\n`)
  expect(await textOf(A, file)).toBe('one\nthree\n')
  expect(await textOf(B, file)).toBe('two\n')
  expect(await textOf('0'.repeat(32), file)).toBe('')
})

it('a line that only looks like one is nobody’s, and so is what follows it', async () => {
  for (const forged of [
    `${LOG_MARK}${A}x\n`,
    `${LOG_MARK}${A.toUpperCase()}\n`,
    `${LOG_MARK}\n`,
    `${LOG_MARK}${A} \n`,
  ]) {
    expect(await textOf(A, fileOf(`${forged}secret\n`)), forged).toBe('')
  }
  expect(await textOf(A, fileOf(`x${line(A)}secret\n`))).toBe('')
  expect(await textOf(A, fileOf(` ${line(A)}secret\n`))).toBe('')
})

it('says the same whether it looks once or while the file grows, wherever it is cut', async () => {
  const random = new SeededRandom(7)
  const pick = <T>(list: readonly T[]) => list[Math.floor(random.next() * list.length)] as T
  for (let round = 0; round < 200; round++) {
    const parts = Array.from({ length: 12 }, () =>
      pick([line(A), line(B), 'text\n', 'no end', '\n', LOG_MARK]),
    )
    const text = parts.join('')
    const whole = await textOf(A, fileOf(text))
    const sections = new LogSections()
    for (let size = 0; size < text.length; size += 1 + Math.floor(random.next() * 40)) {
      const so_far = await textOf(A, fileOf(text, size), sections)
      expect(whole.startsWith(so_far), `${JSON.stringify(text)} at ${size}`).toBe(true)
    }
    expect(await textOf(A, fileOf(text), sections), JSON.stringify(text)).toBe(whole)
  }
})

it('a file that is shorter than it was is looked through anew', async () => {
  const sections = new LogSections()
  expect(await textOf(A, fileOf(`${line(A)}long and old\n`), sections)).toBe('long and old\n')
  expect(await textOf(A, fileOf(`${line(B)}new\n`), sections)).toBe('')
  expect(await textOf(B, fileOf(`${line(B)}new\n`), sections)).toBe('new\n')
})

it('finds lines beyond the first piece that is read', async () => {
  const text = `${'x'.repeat(300_000)}\n${line(A)}end\n`
  expect(await textOf(A, fileOf(text))).toBe('end\n')
})
