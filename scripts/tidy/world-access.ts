// Time, chance, timers and disk are injected, so that a test can replay any run exactly. Only src/world/
// touches the real ones, and src/testing/ brings its own.
import { type Expression, Visitor } from 'oxc-parser'
import { importsOf } from './imports.ts'
import type { Finding, Rule } from './rule.ts'
import { isCode, isTest, type SourceFile } from './source-file.ts'

const ASK = {
  clock: 'ask the injected Clock',
  dice: 'ask the injected Random or Ids',
  timer: 'ask the injected Timers',
  disk: 'ask the injected Disk',
  sqlite: 'ask the injected Disk for a lock; SQL belongs in src/store/sqlite/',
} as const

const GLOBAL_CALLS = new Map([
  ['Date', ASK.clock],
  ['setTimeout', ASK.timer],
  ['setInterval', ASK.timer],
  ['setImmediate', ASK.timer],
])

const MEMBERS = new Map([
  ['Date.now', ASK.clock],
  ['performance.now', ASK.clock],
  ['process.hrtime', ASK.clock],
  ['Temporal.Now', ASK.clock],
  ['Math.random', ASK.dice],
  ['AbortSignal.timeout', ASK.timer],
])

/** Whatever the object is called, these are dice. */
const DICE = ['randomUUID', 'randomBytes', 'randomInt', 'getRandomValues']

const MODULES: readonly [specifier: RegExp, fix: string, allowedIn?: RegExp][] = [
  [/^(?:node:)?fs(?:\/promises)?$/, ASK.disk],
  [/^(?:node:)?timers(?:\/promises)?$/, ASK.timer],
  // A file of its own, behind the disk's back: for locks, and for the engine that is made of it.
  [/^(?:node:)?sqlite$/, ASK.sqlite, /^src\/store\/sqlite\//],
  // A UUID v7 is made of the clock and of dice.
  [/^uuid$/, ASK.dice],
]

export const worldAccess: Rule = {
  name: 'world access',
  check(file) {
    const injected = file.path.startsWith('src/') && !/^src\/(?:world|testing)\//.test(file.path)
    return injected && isCode(file) && !isTest(file) ? [...checkImports(file), ...checkExpressions(file)] : []
  },
}

function checkImports(file: SourceFile): Finding[] {
  return importsOf(file).flatMap(({ specifier, line, typeOnly, names }) => {
    if (typeOnly) return []
    const modules = MODULES.filter(
      ([pattern, , allowedIn]) => pattern.test(specifier) && allowedIn?.test(file.path) !== true,
    ).map(([, fix]) => ({ line, what: `imports ${specifier}`, fix }))
    const dice = names
      .filter((name) => DICE.includes(name))
      .map((name) => ({ line, what: `imports ${name} from ${specifier}`, fix: ASK.dice }))
    return [...modules, ...dice]
  })
}

function checkExpressions(file: SourceFile): Finding[] {
  const found: Finding[] = []
  const add = (start: number, what: string, fix: string | undefined) => {
    if (fix !== undefined) found.push({ line: file.lineAt(start), what, fix })
  }
  new Visitor({
    CallExpression: ({ callee, start }) => {
      const name = nameOf(callee)
      if (name !== undefined) add(start, `calls ${name}()`, GLOBAL_CALLS.get(name))
    },
    NewExpression: ({ callee, arguments: given, start }) => {
      if (nameOf(callee) === 'Date' && given.length === 0)
        add(start, 'reads the clock by new Date()', ASK.clock)
    },
    MemberExpression: (node) => {
      const name = nameOf(node)
      const last = name?.split('.').at(-1) ?? ''
      if (name !== undefined)
        add(node.start, `uses ${name}`, DICE.includes(last) ? ASK.dice : MEMBERS.get(name))
    },
  }).visit(file.syntax().program)
  return found
}

/** `a.b` for member expressions of plain names, without a leading `globalThis`. */
function nameOf(node: Expression): string | undefined {
  if (node.type === 'Identifier') return node.name
  if (node.type !== 'MemberExpression' || node.computed || node.property.type !== 'Identifier')
    return undefined
  const object = nameOf(node.object)
  return object === 'globalThis' || object === undefined
    ? node.property.name
    : `${object}.${node.property.name}`
}
