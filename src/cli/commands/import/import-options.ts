// What the importers of all systems can be told.
import { Argument, Option } from 'commander'
import { durationMs } from '../../../core/duration.ts'
import { InvalidInput } from '../../../errors/input-errors.ts'
import type { ActiveRule, WhatState } from '../../../ledger/import/import-run.ts'
import { collect } from '../../options/collect.ts'
import { type ProtocolOptions, protocolsOption } from '../../options/protocols.ts'

export interface ImportOptions extends ProtocolOptions {
  readonly dryRun?: boolean
  readonly report?: string
  readonly queue?: readonly string[]
  readonly states?: ReadonlySet<WhatState>
  readonly active?: ActiveRule
  readonly wait?: number
  readonly requestType?: string
  readonly as?: string
  readonly writeProtocols?: string
}

const STATES: readonly WhatState[] = ['waiting', 'delayed', 'failed', 'completed', 'schedules']

export const DEFAULT_STATES: ReadonlySet<WhatState> = new Set(['waiting', 'delayed', 'schedules'])

const URL_VARIABLE = 'WAYBILL_IMPORT_URL'

export function urlArgument(about: string): Argument {
  return new Argument(
    '[url]',
    `${about}; the variable ${URL_VARIABLE} unless given, which keeps a password out of sight`,
  )
}

export function urlOf(given: unknown): string {
  const url = (given as string | undefined) ?? process.env[URL_VARIABLE]
  if (url !== undefined && url !== '') return url
  const next = `Give its URL, or put it into the variable ${URL_VARIABLE}.`
  throw new InvalidInput('url', 'It is not said where the other system keeps its jobs', next)
}

export function importOptions(requestType: string): readonly Option[] {
  return [
    new Option('--dry-run', 'write nothing but the report: what would be taken over, what not, and why'),
    new Option(
      '--report <file>',
      'list every record with what became of it; as JSON when it ends with .json, else as Markdown',
    ),
    new Option(
      '--queue <old[=new]>',
      'only this queue, under another name if one is given; may be repeated, and "*" stands for all others',
    ).argParser(collect),
    new Option(
      '--states <list>',
      `what to take over, of ${STATES.join(', ')}; ${[...DEFAULT_STATES].join(', ')} unless told`,
    ).argParser(parseStates),
    new Option('--active <rule>', 'what to do about jobs that somebody works on')
      .choices(['refuse', 'wait', 'take', 'leave'] satisfies ActiveRule[])
      .default('refuse'),
    new Option('--wait <span>', 'how long --active wait waits at most; 10m unless told').argParser(parseWait),
    new Option(
      '--request-type <text>',
      'what their requests are called, with {queue} and {name} in it',
    ).default(requestType),
    new Option(
      '--as <name>',
      'a name for this database in the ids of what is taken over, if there are several',
    ),
    new Option(
      '--write-protocols <file>',
      'put the protocols of what is taken over into this file, for waybill worker --protocols',
    ),
    protocolsOption(),
  ]
}

/** What its exit codes say. */
export const IMPORT_EXITS: readonly (readonly [number, string])[] = [
  [0, 'all that was to be taken over is here'],
  [1, 'some records were refused, or the other database cannot be read'],
  [2, 'it keeps its jobs in a form that is not known here, or a package is missing'],
  [3, 'there is nothing of the kind at this place'],
  [4, 'jobs are being worked on (see --active)'],
  [6, 'another process has the ledger open for writing'],
]

function parseStates(text: string, before: unknown): ReadonlySet<WhatState> {
  const states = new Set(before instanceof Set ? (before as Set<WhatState>) : [])
  for (const name of text.split(',').map((part) => part.trim())) {
    const state = STATES.find((known) => known === name)
    if (state === undefined) {
      const message = `--states ${JSON.stringify(text)} has ${JSON.stringify(name)} in it`
      throw new InvalidInput('states', message, `Name some of: ${STATES.join(', ')}.`)
    }
    states.add(state)
  }
  return states
}

function parseWait(text: string): number {
  const ms = durationMs(text)
  if (ms !== null) return ms
  throw new InvalidInput(
    'wait',
    `--wait ${JSON.stringify(text)} is not a span of time`,
    'Write 30s, 5m or 1h.',
  )
}
