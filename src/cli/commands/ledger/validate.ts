import { Argument, Option } from 'commander'
import { defineCommand } from '../../define-command.ts'
import { safeJson, safeText } from '../../output/safe-text.ts'
import { countOf } from '../../output/words.ts'

interface Options {
  readonly strict?: boolean
}

const FOUND = 1

export const ledgerValidate = defineCommand<Options>({
  name: 'validate',
  summary: 'look for mistakes in a log of audit records',
  about:
    'Reads a log that was written with ledger migrate --output, and prints everything that is wrong as "file:line: what": ' +
    'lines that are no audit records, states that there are not, transitions that the machine does not declare, old ' +
    'states that are not the last one of the document, times that go back, and lines that were not migrated. A ' +
    'transition that is marked as not declared is a warning. It changes nothing.',
  arguments: [new Argument('<file>', 'the log')],
  options: [new Option('--strict', 'count warnings as well')],
  examples: [
    ['ledger validate ledger-new.jsonl', 'is it good?'],
    ['ledger validate ledger-new.jsonl --strict', 'is it flawless?'],
    ['ledger validate ledger-new.jsonl --json | jq .line', 'which lines, for a program'],
  ],
  exits: [
    [0, 'nothing is wrong'],
    [1, 'something is wrong'],
    [3, 'there is no such file'],
  ],
  async run(session, { strict }, [argument]) {
    const file = argument as string
    const { out, notes } = session
    const { validateLegacy } = await session.library()
    const counts = { error: 0, warning: 0 }
    // A list on the terminal is its own progress.
    for await (const { line, level, what } of validateLegacy(file)) {
      counts[level]++
      if (level === 'error' || strict) session.found(FOUND)
      const text = `${file}:${line}: ${level === 'warning' ? 'warning: ' : ''}${what}`
      await out.line(session.isJson ? safeJson({ file, line, level, what }) : safeText(text))
    }
    const { error, warning } = counts
    const said = { errors: error, warnings: warning }
    if (error + warning === 0) return notes.hint(`Nothing is wrong with ${file}.`, said)
    await notes.hint(`${countOf(error, 'error')}, ${countOf(warning, 'warning')}.`, said)
  },
})
