// The types are part of what is promised: test/compile/ says what must compile and what must not.
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { API } from 'typescript/unstable/sync'
import { expect, it } from 'vitest'
import { compilerConfig, typeCheck } from './compiler.ts'
import { ROOT, scratch } from './scratch.ts'

const SOURCE = join(ROOT, 'test/compile')
const files = readdirSync(SOURCE)

it('A30: a misspelt state, field or option does not compile, and everything right does', () => {
  using copy = scratch('compile')
  cpSync(SOURCE, copy.folder, { recursive: true })
  expect(typeCheck(copy.folder)).toEqual([])
})

it('A30: the compiler objects to exactly the lines that say so', () => {
  using copy = scratch('compile')
  const expected: string[] = []
  for (const file of files) {
    const lines = readFileSync(join(SOURCE, file), 'utf8').split('\n')
    lines.forEach((text, index) => {
      // The line after the comment, counted from 1.
      if (text.includes('@ts-expect-error')) expected.push(`${file}:${index + 2}`)
    })
    writeFileSync(join(copy.folder, file), lines.join('\n').replaceAll('@ts-expect-error', 'expected:'))
  }
  const found = typeCheck(copy.folder).map(({ file, line }) => `${file}:${line}`)
  expect(expected.length).toBeGreaterThan(20)
  expect(new Set(found)).toEqual(new Set(expected))
})

it('A31: old names of states compile and are marked as deprecated', () => {
  using copy = scratch('compile')
  const file = join(copy.folder, 'deprecated-states.ts')
  cpSync(join(SOURCE, 'deprecated-states.ts'), file)
  // What editors show. The compiler's programming interface may change with its version, which is pinned here.
  const api = new API({ cwd: ROOT })
  try {
    const [project] = api.updateSnapshot({ openProjects: [compilerConfig(copy.folder)] }).getProjects()
    const hints = project?.program.getSuggestionDiagnostics(file) ?? []
    const deprecated = hints.filter((hint) => hint.reportsDeprecated === true)
    const calls = readFileSync(file, 'utf8').match(/updateState\(/g) ?? []
    expect(deprecated.map(({ code }) => code)).toEqual(calls.map(() => 6387))
  } finally {
    api.close()
  }
})
