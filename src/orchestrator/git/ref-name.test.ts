import { describe, expect, it } from 'vitest'
import { branchNameProblem, remoteNameProblem, revisionProblem } from './ref-name.ts'

// That it says the same as git is in test/tools/.
describe('names in git', () => {
  it.each(['main', 'feature/x', 'ä', 'a.b', 'a@b', 'head', '1', 'a-b', 'a{b'])(
    '%j may be a branch',
    (name) => {
      expect(branchNameProblem(name)).toBeNull()
    },
  )

  it.each([
    '',
    '-x',
    '--force',
    'a b',
    'a..b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[',
    'a\\b',
    'a@{b',
    '@',
    'HEAD',
    '/a',
    'a/',
    'a//b',
    '.a',
    'a/.b',
    'a.',
    'a.lock',
    'a.lock/b',
    'a\n',
    'a\0',
    '\ud800',
    'x'.repeat(201),
  ])('%j may not', (name) => {
    expect(branchNameProblem(name)).not.toBeNull()
  })

  it('a commit to start from may be told in git’s own way, and is no range, option or file', () => {
    for (const text of ['HEAD~2', 'main^', 'v1.0^{commit}', 'origin/main', 'a'.repeat(40), 'main@{1}'])
      expect(revisionProblem(text)).toBeNull()
    for (const text of ['', '-f', '--', 'a..b', 'HEAD:file', 'a b', ':/text', 'a\0'])
      expect(revisionProblem(text)).not.toBeNull()
  })

  it('a remote is a name and no address', () => {
    for (const name of ['origin', 'my-fork', 'a.b', 'team/x']) expect(remoteNameProblem(name)).toBeNull()
    for (const name of ['', '-x', '/etc', '../other', 'https://h/r', 'git@h:r', 'ext::sh', 'a b', 'a\n'])
      expect(remoteNameProblem(name)).not.toBeNull()
  })
})
