// What a real git says is in test/tools/; here is what no real one says on demand.
import { describe, expect, it } from 'vitest'
import type { FileMark } from '../../world/file-mark.ts'
import { GitFacts } from './git-facts.ts'
import type { RunGit } from './git-runner.ts'

const FILE: FileMark = { kind: 'file', stamp: '1', isExecutable: false, size: 1 }

/** Facts of a git that answers so to the first argument that it knows; null is no answer at all. */
function factsOf(answers: { readonly [command: string]: string | null }, marks: () => FileMark = () => FILE) {
  const asked: (readonly string[])[] = []
  const hashed: string[] = []
  const run: RunGit = async (args) => {
    asked.push(args)
    const answer = Object.entries(answers).find(([command]) => args.includes(command))?.[1]
    if (answer === undefined || answer === null) return { exitCode: null, stdout: new Uint8Array() }
    return { exitCode: 0, stdout: Buffer.from(answer) }
  }
  const files = {
    mark: async () => marks(),
    hash: async (path: Uint8Array) => {
      hashed.push(Buffer.from(path).toString())
      return 'hash'
    },
  }
  return { facts: new GitFacts({ run, files }), asked, hashed }
}

const REPO = { '--show-toplevel': '/repo\n', 'HEAD^{commit}': `${'a'.repeat(40)}\n` }

describe('facts of git', () => {
  it('are asked for without locks, hooks and monitors', async () => {
    const { facts, asked } = factsOf({ ...REPO, status: '' })
    await facts.stateOf('/repo')
    for (const args of asked) {
      expect(args).toEqual(expect.arrayContaining(['--no-optional-locks', 'core.fsmonitor=false']))
      expect(args).toEqual(expect.arrayContaining(['core.quotepath=off', 'core.hooksPath=/dev/null']))
    }
  })

  it('are null or nothing when git does not answer, or nonsense', async () => {
    const { facts } = factsOf({ 'HEAD^{commit}': 'nonsense' })
    expect(await facts.commitOf('/repo')).toBeNull()
    expect(await facts.stateOf('/repo')).toEqual({ commit: null, top: null, changed: new Map() })
  })

  it('say that they are not all when there are too many changes to look at', async () => {
    const tooMany = factsOf({ ...REPO, status: '? x\0'.repeat(20_001) })
    const unsaid = factsOf({ ...REPO, status: null })
    for (const { facts } of [tooMany, unsaid]) {
      const before = await facts.stateOf('/repo')
      expect(before.changed).toBeNull()
      expect(await facts.touchedFiles('/repo', before)).toMatchObject({ files: [], truncated: true })
    }
  })

  it('tell large files apart by size and times, and hash no more than so much in all', async () => {
    const size = 16 * 1024 * 1024
    let mark = { ...FILE, size: size + 1 }
    const large = factsOf({ ...REPO, status: '? large\0' }, () => mark)
    const before = await large.facts.stateOf('/repo')
    expect((await large.facts.touchedFiles('/repo', before)).files).toEqual([])
    mark = { ...mark, stamp: '2' }
    expect((await large.facts.touchedFiles('/repo', before)).files).toEqual(['large'])
    expect(large.hashed).toEqual([])

    const status = Array.from({ length: 20 }, (_, nth) => `? ${nth}\0`).join('')
    const many = factsOf({ ...REPO, status }, () => ({ ...FILE, size }))
    await many.facts.stateOf('/repo')
    expect(many.hashed).toHaveLength(16)
  })
})
