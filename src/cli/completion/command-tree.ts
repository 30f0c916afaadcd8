import type { Argument, Command, Option } from 'commander'

/** What can be completed, taken from the program itself: it cannot be out of date. */
export interface CompletedCommand {
  /** Words that lead to it, without the program's own name: `docs list`. */
  readonly path: string
  readonly about: string
  readonly commands: readonly { readonly name: string; readonly about: string }[]
  readonly options: readonly CompletedOption[]
  readonly arguments: readonly Choices[]
}

/** What a word may be: one of these, a file where they are null, or anything where there are none. */
export type Choices = readonly string[] | null

export interface CompletedOption {
  readonly flags: readonly string[]
  readonly about: string
  /** It is followed by a value. */
  readonly value: { readonly choices: Choices } | null
}

/** Options and arguments that are files or folders. */
const FILES = /<(?:place|folder|file|dir|log|from|to|module)>/

export function commandTree(program: Command): readonly CompletedCommand[] {
  const shared = [...program.options, helpOf(program)].map(completedOption)
  return visit(program, [], shared)
}

function visit(
  command: Command,
  path: readonly string[],
  shared: readonly CompletedOption[],
): CompletedCommand[] {
  const own = command.parent === null ? [] : command.options.map(completedOption)
  const described = {
    path: path.join(' '),
    about: aboutOf(command),
    commands: command.commands.map((child) => ({ name: child.name(), about: aboutOf(child) })),
    options: [...own, ...shared],
    arguments: command.registeredArguments.flatMap(completedArguments),
  }
  return [described, ...command.commands.flatMap((child) => visit(child, [...path, child.name()], shared))]
}

function completedOption(option: Option): CompletedOption {
  return {
    flags: [option.short, option.long].filter((flag) => flag != null),
    about: option.description,
    value:
      option.required || option.optional ? { choices: choicesOf(option.flags, option.argChoices) } : null,
  }
}

/** Of an argument that may be repeated so many are completed. */
const MOST_REPEATED = 9

function completedArguments(argument: Argument): readonly Choices[] {
  const choices = choicesOf(`<${argument.name()}>`, argument.argChoices)
  return Array.from({ length: argument.variadic ? MOST_REPEATED : 1 }, () => choices)
}

function choicesOf(words: string, choices: readonly string[] | undefined): Choices {
  return FILES.test(words) ? null : (choices ?? [])
}

/** All that are followed by a value, in whatever command. */
export function valueFlags(commands: readonly CompletedCommand[]): readonly string[] {
  const flags = commands.flatMap(({ options }) =>
    options.flatMap(({ flags, value }) => (value === null ? [] : flags)),
  )
  return [...new Set(flags)]
}

function helpOf(program: Command): Option {
  return program.createOption('-h, --help', 'explain the command')
}

function aboutOf(command: Command): string {
  return command.summary() || command.description()
}
