import { styleText } from 'node:util'
import { type Argument, type Command, Option } from 'commander'
import type { GlobalOptions, Session } from './session.ts'

/** A command as its file describes it; `addCommand` makes it part of the program. */
export interface CommandSpec<Options = object> {
  readonly name: string
  /** A few words, for the list of commands. */
  readonly summary: string
  /** What it does and what is worth knowing, for its own help. */
  readonly about: string
  readonly arguments?: readonly Argument[]
  readonly options?: readonly Option[]
  /** Command lines without `waybill`, and what each is for. */
  readonly examples: readonly (readonly [command: string, about: string])[]
  /** What its exit codes say, where they say more than everywhere else. */
  readonly exits?: readonly (readonly [code: number, about: string])[]
  /** It changes the ledger, so the history has to name somebody. */
  readonly writes?: true
  // A method, so that a list may hold commands with different options.
  run(session: Session, options: Options & GlobalOptions, args: readonly unknown[]): Promise<void>
}

/** Runs a command in a session of its own, whatever comes of it. */
export type Runner = (spec: CommandSpec, command: Command) => Promise<void>

export function defineCommand<Options = object>(spec: CommandSpec<Options>): CommandSpec<Options> {
  return spec
}

export function addCommand(parent: Command, spec: CommandSpec, runner: Runner): void {
  const command = parent.command(spec.name).summary(spec.summary).description(spec.about)
  for (const argument of spec.arguments ?? []) command.addArgument(argument)
  for (const option of spec.options ?? []) command.addOption(option)
  if (spec.writes) {
    command.addOption(
      new Option('--actor <name>', 'who does this, for the history; your user name unless told').env(
        'WAYBILL_ACTOR',
      ),
    )
  }
  command.addHelpText('after', () => examplesText(spec, command) + exitsText(spec, command))
  command.action(() => runner(spec, command))
}

function examplesText({ examples }: CommandSpec, command: Command): string {
  const lines = examples.map(([line, about]) => `  ${quiet(`# ${about}`)}\n  waybill ${line}`)
  return `\n${title(command, 'Examples:')}\n${lines.join('\n')}\n`
}

function exitsText({ exits = [] }: CommandSpec, command: Command): string {
  if (exits.length === 0) return ''
  const lines = exits.map(([code, about]) => `  ${code}  ${about}`)
  return `\n${title(command, 'Exit codes:')}\n${lines.join('\n')}\n`
}

function title(command: Command, text: string): string {
  return command.createHelp().styleTitle(text)
}

/** Whoever prints the help takes colours out where there are none. */
function quiet(text: string): string {
  return styleText('dim', text, { validateStream: false })
}
