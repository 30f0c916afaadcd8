import { createRequire } from 'node:module'
import { styleText } from 'node:util'
import { Command, type CommanderError, type Help, Option } from 'commander'
import { CommandLineError } from './command-line-error.ts'
import { completion } from './commands/completion.ts'
import { docsHistory } from './commands/docs/history.ts'
import { docsList } from './commands/docs/list.ts'
import { docsSet } from './commands/docs/set.ts'
import { docsShow } from './commands/docs/show.ts'
import { init } from './commands/init.ts'
import { ledgerAudit } from './commands/ledger/audit.ts'
import { ledgerCompact } from './commands/ledger/compact.ts'
import { ledgerCopy } from './commands/ledger/copy.ts'
import { ledgerHistory } from './commands/ledger/history.ts'
import { ledgerMigrate } from './commands/ledger/migrate.ts'
import { ledgerRepair } from './commands/ledger/repair.ts'
import { ledgerRollback } from './commands/ledger/rollback.ts'
import { ledgerStats } from './commands/ledger/stats.ts'
import { ledgerStuck } from './commands/ledger/stuck.ts'
import { ledgerValidate } from './commands/ledger/validate.ts'
import { ledgerVerify } from './commands/ledger/verify.ts'
import { addCommand, type CommandSpec, type Runner } from './define-command.ts'

interface Group {
  readonly name: string
  readonly about: string
  readonly commands: readonly CommandSpec[]
}

/** Every command there is: a file each, and a place in this list. */
const GROUPS: readonly Group[] = [
  {
    name: 'docs',
    about: 'Documents: where each one is, how it got there, and moving it on',
    commands: [docsList, docsShow, docsSet, docsHistory],
  },
  {
    name: 'ledger',
    about: 'The ledger as a whole: counts, history, what is stuck, and its files',
    commands: [
      ledgerStats,
      ledgerStuck,
      ledgerAudit,
      ledgerHistory,
      ledgerCompact,
      ledgerVerify,
      ledgerRepair,
      ledgerCopy,
      ledgerMigrate,
      ledgerValidate,
      ledgerRollback,
    ],
  },
]

const EXIT_CODES = `
  0  all well
  1  it found problems, or failed
  2  the command line makes no sense
  3  no such document, file or folder
  4  it clashes with what is there: a state that cannot follow, a file that exists
  5  the ledger is damaged
  6  another process has the ledger open for writing`

const EXAMPLES = `
  waybill init ./ledger
  waybill docs set pubmed:123 fetching --adapter pubmed
  waybill docs list --state failed --since 7d
  waybill ledger stuck --hours 5`

/** The longest list of choices that help repeats beside the option. */
const FEW = 6

export function createProgram(runner: Runner, { color }: { readonly color: boolean }): Command {
  const program = new Command('waybill')
  program
    .description('A durable ledger for jobs and documents: who did what to which record, when and why.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'explain the command')
    .helpCommand('help [command]', 'explain a command')
    .configureHelp(HELP)
    .configureOutput({
      // All errors are told in one place, with what came of them.
      outputError: () => {},
      // Without colours nobody is asked whether the terminal has them.
      ...(color ? null : { getOutHasColors: () => false, getErrHasColors: () => false }),
    })
  for (const option of globalOptions()) program.addOption(option)
  addCommand(program, init, runner)
  for (const { name, about, commands } of GROUPS) {
    const group = program.command(name).summary(groupSummary(commands)).description(about)
    for (const spec of commands) addCommand(group, spec, runner)
  }
  addCommand(program, completion(program), runner)
  program.addHelpText('after', () => {
    const { styleTitle } = program.createHelp()
    return `\n${styleTitle('Examples:')}${EXAMPLES}\n\n${styleTitle('Exit codes:')}${EXIT_CODES}\n`
  })
  throwMistakes(program)
  return program
}

/** The names of its commands say more in little room than a description. */
function groupSummary(commands: readonly CommandSpec[]): string {
  return commands.map(({ name }) => name).join(', ')
}

function globalOptions(): readonly Option[] {
  return [
    new Option('--ledger <folder>', 'where the ledger is').env('WAYBILL_LEDGER').default('./ledger'),
    new Option(
      '--tenant <name>',
      'whose records; "default" unless told, and everybody\'s for ledger stats and audit',
    ).env('WAYBILL_TENANT'),
    new Option('--json', 'JSON: an object, or one line for each record of a list'),
    new Option('--quiet', 'no progress bars and no hints'),
    new Option('--no-color', 'no colours, as with the variable NO_COLOR'),
  ]
}

const HELP: Partial<Help> = {
  showGlobalOptions: true,
  minWidthToWrap: 20,
  styleTitle: (text) =>
    styleText('bold', text.replace('Global Options', 'Options of every command'), { validateStream: false }),
  optionDescription: (option) => {
    const { argChoices, defaultValue, envVar } = option
    const more = [
      ...(argChoices !== undefined && argChoices.length <= FEW ? [`one of ${argChoices.join(', ')}`] : []),
      ...(defaultValue !== undefined && option.long !== '--no-color' ? [`default: ${defaultValue}`] : []),
      ...(envVar === undefined ? [] : [`or the variable ${envVar}`]),
    ]
    return more.length === 0 ? option.description : `${option.description} (${more.join('; ')})`
  },
  argumentDescription: ({ description }) => description,
}

/** Whoever runs the program ends it: mistakes come out as exceptions that know which command is meant. */
function throwMistakes(command: Command): void {
  command.exitOverride((error: CommanderError) => {
    throw new CommandLineError(error, command)
  })
  for (const child of command.commands) throwMistakes(child)
}

/** Also from `dist/cli`, which lies as deep. */
function version(): string {
  return createRequire(import.meta.url)('../../package.json').version
}
