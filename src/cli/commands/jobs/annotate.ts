import { Argument, Option } from 'commander'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import { InvalidInput } from '../../../errors/input-errors.ts'
import { defineCommand } from '../../define-command.ts'
import { safeText } from '../../output/safe-text.ts'

interface Options {
  readonly reason?: string
}

export const jobsAnnotate = defineCommand<Options>({
  name: 'annotate',
  summary: 'say something of a job, which gates look at',
  about:
    'Puts values into the metadata of a job: a gate that waits for one of them opens. A value is JSON where it is some ' +
    '(12, true, null, {"a": 1}), and text everywhere else; a number only if nothing of it is lost, so 1.10 is text. Text ' +
    'that looks like JSON goes in quotes: pages=\'"12"\'. null takes a value away. What gates a job has is shown by: waybill jobs show.',
  arguments: [new Argument('<id>', 'id of the job'), new Argument('<key=value...>', 'what there is to say')],
  options: [new Option('--reason <text>', 'why, for the history')],
  writes: true,
  examples: [
    ['jobs annotate JOB approved=true', 'open a gate that waits for metadata.approved'],
    ['jobs annotate JOB ticket=OPS-12 pages=340', 'several at once'],
    ['jobs annotate JOB approved=null --reason "too early"', 'take one away'],
  ],
  exits: [
    [2, 'what is said makes no sense'],
    [3, 'there is no such job'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, { tenant, reason }, [id, words]) {
    const given = parsePairs(words as readonly string[])
    const ledger = await session.openToChange()
    const job = await ledger.jobs.annotate(id as string, given, { tenant_id: tenant, reason })
    if (session.isJson) return session.json(job)
    const { out } = session
    for (const key of Object.keys(given)) {
      const value = job.metadata[key]
      const told = value === undefined ? out.paint('dim', 'gone') : safeText(JSON.stringify(value))
      await out.line(`${safeText(key)}  ${told}`)
    }
  },
})

function parsePairs(words: readonly string[]): JsonObject {
  const pairs = words.map((word): readonly [string, Json] => {
    const at = word.indexOf('=')
    if (at > 0) return [word.slice(0, at), valueIn(word.slice(at + 1))]
    const next = 'Write a name and what it is to be: approved=true.'
    throw new InvalidInput('key=value', `${JSON.stringify(word)} is not a name and a value`, next)
  })
  const names = pairs.map(([name]) => name)
  const twice = names.find((name, index) => names.indexOf(name) < index)
  if (twice !== undefined) {
    const next = 'Say it once.'
    throw new InvalidInput('key=value', `${JSON.stringify(twice)} is there twice`, next)
  }
  return Object.fromEntries(pairs)
}

/** JSON where it is some and means the same; else text. */
function valueIn(text: string): Json {
  try {
    const value = JSON.parse(text) as Json
    const isPlain = typeof value !== 'number' || String(value) === text
    return isPlain || isJsonObject(value) ? value : text
  } catch {
    return text
  }
}
