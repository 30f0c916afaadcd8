import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Small things that are wrong, each with the test that says so. */
const FILES = {
  'package.json': '{ "type": "module" }\n',
  '.gitignore': '.waybill/\n',
  'src/slug.js': "export const slug = (title) => title.toLowerCase().replaceAll(' ', '-')\n",
  'src/total.js': 'export const total = (prices) => prices.reduce((sum, price) => sum + price, 0)\n',
  'src/dates.js': 'export const dateOf = (text) => new Date(text)\n',
  'tasks/slug.md': 'A slug has no accents: slug("Über uns") is "uber-uns". Change src/slug.js.\n',
  'tasks/total.md': 'A total is exact to the cent: total([0.1, 0.2]) is 0.3. Change src/total.js.\n',
  'tasks/dates.md': 'Understand "a week on Tuesday". Change src/dates.js.\n',
  'test/slug.test.js': testOf('slug', 'slug', 'slug("Über uns")', '"uber-uns"'),
  'test/total.test.js': testOf('total', 'total', 'total([0.1, 0.2])', '0.3'),
  'test/dates.test.js': testOf(
    'dates',
    'dateOf',
    'Number.isNaN(dateOf("a week on Tuesday").getTime())',
    'false',
  ),
}

function testOf(file: string, name: string, is: string, wanted: string): string {
  return `import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { ${name} } from '../src/${file}.js'

test('${name}', () => equal(${is}, ${wanted}))
`
}

export function git(repo: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: repo, encoding: 'utf8' }).trim()
}

/** A repository with a commit, in a folder that is not there yet. */
export function makeRepository(repo: string): void {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(repo, path)), { recursive: true })
    writeFileSync(join(repo, path), text)
  }
  git(repo, 'init', '--quiet', '--initial-branch=main')
  git(repo, 'config', 'user.name', 'Waybill example')
  git(repo, 'config', 'user.email', 'example@example.com')
  git(repo, 'config', 'commit.gpgsign', 'false')
  git(repo, 'add', '--all')
  git(repo, 'commit', '--quiet', '--message=Everything is wrong')
}
