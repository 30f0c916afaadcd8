// A skipped test says why, where the reader sees it: a comment beside `it.skip`, or the note that
// `context.skip('…')` prints.
import { type CallExpression, type Expression, Visitor } from 'oxc-parser'
import type { Finding, Rule } from './rule.ts'
import { isTest, type SourceFile } from './source-file.ts'

const SKIPS = ['skip', 'skipIf', 'runIf']
const DECLARES_TESTS = ['it', 'test', 'describe', 'suite']
const CONTEXTS = ['context', 'ctx']

export const skipReasons: Rule = {
  name: 'skip reasons',
  check(file) {
    if (!isTest(file)) return []
    const found: Finding[] = []
    new Visitor({
      CallExpression: (call) => {
        const owner = ownerOfSkip(call)
        if (owner === undefined) return
        const line = file.lineAt(call.callee.end)
        const explained = CONTEXTS.includes(owner) ? hasNote(call) : hasComment(file, line)
        if (!explained)
          found.push({ line, what: 'test skipped without a reason', fix: 'state the reason, or let it run' })
      },
    }).visit(file.syntax().program)
    return found
  },
}

/** `it` for `it.skip(…)` and `it.concurrent.skip(…)`; undefined for calls that skip no test. */
function ownerOfSkip({ callee }: CallExpression): string | undefined {
  if (callee.type !== 'MemberExpression' || callee.computed || callee.property.type !== 'Identifier')
    return undefined
  if (!SKIPS.includes(callee.property.name)) return undefined
  let object: Expression = callee.object
  while (object.type === 'MemberExpression') object = object.object
  if (object.type !== 'Identifier') return undefined
  return [...DECLARES_TESTS, ...CONTEXTS].includes(object.name) ? object.name : undefined
}

function hasNote(call: CallExpression): boolean {
  return call.arguments.some((argument) => argument.type === 'Literal' || argument.type === 'TemplateLiteral')
}

function hasComment(file: SourceFile, line: number): boolean {
  return file
    .syntax()
    .comments.some(({ start, end }) => file.lineAt(start) === line || file.lineAt(end) === line - 1)
}
