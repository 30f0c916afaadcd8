import type { Command, CommanderError } from 'commander'
import { InvalidInput } from '../errors/input-errors.ts'

/** What the parser had to say about a command line: a mistake, or that it has printed the help or the version. */
export class CommandLineError extends Error {
  readonly exitCode: number
  /** What is wrong; null when everything was said. */
  readonly mistake: InvalidInput | null

  constructor(error: CommanderError, command: Command) {
    super(error.message, { cause: error })
    const isAnswered = /^commander\.(?:help|helpDisplayed|version)$/.test(error.code)
    this.exitCode = error.exitCode === 0 ? 0 : 2
    this.mistake = isAnswered ? null : mistakeOf(error, command)
  }
}

function mistakeOf(error: CommanderError, command: Command): InvalidInput {
  const [message = '', suggestion] = error.message.replace(/^error: /, '').split('\n')
  const guess = suggestion === undefined ? '' : `${suggestion.replace(/^\(|\)$/g, '')} `
  const field = /'(?:-\w, )?(?:--)?([\w-]+)/.exec(message)?.[1] ?? command.name()
  return new InvalidInput(
    field,
    message.replace(/^./, (letter) => letter.toUpperCase()),
    `${guess}See: ${pathOf(command)} --help`,
  )
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}
