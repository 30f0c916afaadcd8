// Everything a button does, a command does too: docs/page.md says which. What the page asks for is read from its source.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { ROUTES } from '../server/routes/all.ts'
import { createProgram } from './program.ts'

const ROOT = join(import.meta.dirname, '../..')
const API = join(ROOT, 'ui/src/api')

/** `change(…)` always changes something; `ask(…)` when it names a method. */
const CALL = /\b(change|ask)(?:<.*?>)?\(\s*(?:path\()?(['`])(\/v1\/.*?)\2([\s\S]*?)\n\}/g

function requestsOf(source: string): readonly string[] {
  return [...source.matchAll(CALL)].flatMap(([, how, , path = '', rest = ''], i, calls) => {
    const method = how === 'change' ? 'POST' : (/method: '(\w+)'/.exec(rest)?.[1] ?? 'GET')
    if (method === 'GET') return []
    const verbs = path.includes('$') ? verbsBefore(source, calls[i]?.index ?? 0) : ['']
    return verbs.map((verb) => `${method} ${path.replace(/\$\{verb\}/, verb)}`)
  })
}

/** What a verb may be says its type. */
function verbsBefore(source: string, place: number): readonly string[] {
  const type = [...source.slice(0, place).matchAll(/\bverb: ([^\n]*)/g)].at(-1)?.[1] ?? ''
  const named = type.startsWith('Verb') ? (/^type Verb = (.*)$/m.exec(source)?.[1] ?? '') : type
  return [...named.matchAll(/'(\w+)'/g)].map(([, verb = '']) => verb)
}

const sources = readdirSync(API)
  .filter((name) => name.endsWith('.ts') && !/\.test\.ts$|^(?:change|client)\.ts$/.test(name))
  .map((name) => ({ name, source: readFileSync(join(API, name), 'utf8') }))

const asked = sources.flatMap(({ source }) => requestsOf(source))

const rows = readFileSync(join(ROOT, 'docs/page.md'), 'utf8')
  .split('## What each button is on the command line')[1]
  ?.split('\n')
  .flatMap((line) => {
    const [, , button = '', request = '', command = ''] = line.split('|').map((cell) => cell.trim())
    return /^`[A-Z]+ /.test(request) ? { button, request: plain(request), command } : []
  })

function plain(cell: string): string {
  return cell.replaceAll('`', '')
}

const program = createProgram(async () => {}, { color: false })

/** The command that the words lead to, as far as they do. */
function commandOf(words: readonly string[], command: Command = program): Command {
  const child = command.commands.find((one) => one.name() === words[0])
  return child === undefined ? command : commandOf(words.slice(1), child)
}

describe('the buttons of the page', () => {
  it.each(sources)('$name: every call that changes something is understood here', ({ source }) => {
    const all = source.match(/\bchange(?:<.*?>)?\(|method: '(?:POST|PUT|DELETE)'/g) ?? []
    const understood = [...source.matchAll(CALL)].filter(
      ([, how, , , rest = '']) => how === 'change' || /method: '/.test(rest),
    )
    expect(understood).toHaveLength(all.length)
  })

  it('are all in the list, each request once', () => {
    expect(asked.length).toBeGreaterThan(20)
    expect(rows?.map(({ request }) => request).sort()).toEqual([...new Set(asked)].sort())
  })

  it('ask for what the server has', () => {
    const routes = ROUTES.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`)
    for (const { request } of rows ?? []) expect(routes).toContain(request)
  })

  it.each(rows ?? [])('$button: $request is a command', ({ request, command }) => {
    // Commands have no session that could be closed.
    if (request === 'DELETE /v1/session') return
    const [first, ...words] = plain(command).split(' ')
    expect(first).toBe('waybill')
    const found = commandOf(words)
    expect(found.commands, command).toEqual([])
    const options = found.options.map(({ long }) => long)
    for (const word of words.filter((one) => one.startsWith('--'))) expect(options).toContain(word)
  })
})
