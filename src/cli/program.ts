import { createRequire } from 'node:module'
import { styleText } from 'node:util'
import { Command, type CommanderError, type Help, Option } from 'commander'
import { CommandLineError } from './command-line-error.ts'
import { blame } from './commands/blame.ts'
import { completion } from './commands/completion.ts'
import { docsHistory } from './commands/docs/history.ts'
import { docsList } from './commands/docs/list.ts'
import { docsSet } from './commands/docs/set.ts'
import { docsShow } from './commands/docs/show.ts'
import { importBullmq } from './commands/import/bullmq.ts'
import { importGraphileWorker } from './commands/import/graphile-worker.ts'
import { importPgBoss } from './commands/import/pg-boss.ts'
import { init } from './commands/init.ts'
import { jobsAgain } from './commands/jobs/again.ts'
import { jobsAnnotate } from './commands/jobs/annotate.ts'
import { jobsCancel } from './commands/jobs/cancel.ts'
import { jobsExpedite } from './commands/jobs/expedite.ts'
import { jobsHistory } from './commands/jobs/history.ts'
import { jobsList } from './commands/jobs/list.ts'
import { jobsResolve } from './commands/jobs/resolve.ts'
import { jobsShow } from './commands/jobs/show.ts'
import { ledgerAudit } from './commands/ledger/audit.ts'
import { ledgerCompact } from './commands/ledger/compact.ts'
import { ledgerCopy } from './commands/ledger/copy.ts'
import { ledgerHistory } from './commands/ledger/history.ts'
import { ledgerMigrate } from './commands/ledger/migrate.ts'
import { ledgerRepair } from './commands/ledger/repair.ts'
import { ledgerRollback } from './commands/ledger/rollback.ts'
import { ledgerSql } from './commands/ledger/sql.ts'
import { ledgerStats } from './commands/ledger/stats.ts'
import { ledgerStuck } from './commands/ledger/stuck.ts'
import { ledgerValidate } from './commands/ledger/validate.ts'
import { ledgerVerify } from './commands/ledger/verify.ts'
import { pipelineCheck } from './commands/pipeline/check.ts'
import { queueAdd } from './commands/queue/add.ts'
import { queueList } from './commands/queue/list.ts'
import { queueStats } from './commands/queue/stats.ts'
import { queueLimit, queuePause, queueResume } from './commands/queue/steer.ts'
import { runJob } from './commands/run-job/run-job.ts'
import { runsList } from './commands/runs/list.ts'
import { runsCancel, runsCreate, runsSeal, runsSet } from './commands/runs/move.ts'
import { runsShow } from './commands/runs/show.ts'
import { scheduleAdd } from './commands/schedule/add.ts'
import { scheduleList } from './commands/schedule/list.ts'
import { schedulePause, scheduleRemove, scheduleResume } from './commands/schedule/move.ts'
import { scheduleShow } from './commands/schedule/show.ts'
import { serve } from './commands/serve/serve.ts'
import { submit } from './commands/submit.ts'
import { tail } from './commands/tail.ts'
import { tokensCreate } from './commands/tokens/create.ts'
import { tokensLink } from './commands/tokens/link.ts'
import { tokensList } from './commands/tokens/list.ts'
import { tokensRevoke } from './commands/tokens/revoke.ts'
import { tokensShow } from './commands/tokens/show.ts'
import { why } from './commands/why.ts'
import { worker } from './commands/worker/worker.ts'
import { workstreamsList } from './commands/workstreams/list.ts'
import { workstreamsSeal, workstreamsSet } from './commands/workstreams/move.ts'
import { workstreamsShow } from './commands/workstreams/show.ts'
import { addCommand, type CommandSpec, type Runner } from './define-command.ts'

interface Group {
  readonly name: string
  readonly about: string
  readonly commands: readonly CommandSpec[]
}

/** Every command there is: a file each, and a place in these lists. */
const GROUPS: readonly Group[] = [
  {
    name: 'jobs',
    about:
      'Jobs: how far each one is, what came of it, ending it, getting on with it, running it again, and saying how it ended',
    commands: [
      jobsList,
      jobsShow,
      jobsCancel,
      jobsAgain,
      jobsExpedite,
      jobsResolve,
      jobsAnnotate,
      jobsHistory,
    ],
  },
  {
    name: 'docs',
    about: 'Documents: where each one is, how it got there, and moving it on',
    commands: [docsList, docsShow, docsSet, docsHistory],
  },
  {
    name: 'queue',
    about: 'Queues: adding tool jobs, what waits and runs in each, pausing and limiting them',
    commands: [queueAdd, queueList, queueStats, queuePause, queueResume, queueLimit],
  },
  {
    name: 'runs',
    about: 'Runs: jobs that were started together, how they go, moving, sealing and cancelling them',
    commands: [runsList, runsShow, runsCreate, runsSet, runsSeal, runsCancel],
  },
  {
    name: 'workstreams',
    about: 'Workstreams: lines of work inside a run, where each one stands, and sealing them',
    commands: [workstreamsList, workstreamsShow, workstreamsSet, workstreamsSeal],
  },
  {
    name: 'pipeline',
    about: 'Pipelines: topologies in YAML',
    commands: [pipelineCheck],
  },
  {
    name: 'schedule',
    about: 'Schedules: jobs that are submitted again and again, by the calendar',
    commands: [scheduleAdd, scheduleList, scheduleShow, schedulePause, scheduleResume, scheduleRemove],
  },
  {
    name: 'tokens',
    about: 'Access tokens: who may come in by way of the server, as what, and until when',
    commands: [tokensCreate, tokensList, tokensShow, tokensRevoke, tokensLink],
  },
  {
    name: 'import',
    about: 'Jobs of other systems: taking them over, and looking first what would be',
    commands: [importBullmq, importPgBoss, importGraphileWorker],
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
      ledgerSql,
    ],
  },
]

const FIRST: readonly CommandSpec[] = [init, submit, runJob, worker, serve]
const LAST: readonly CommandSpec[] = [why, blame, tail]

const EXIT_CODES = `
  0  all well
  1  it found problems, or failed
  2  the command line makes no sense
  3  no such document, job, run, file or folder
  4  it clashes with what is there: a state that cannot follow, a file that exists
  5  the ledger is damaged
  6  another process has the ledger open for writing, or wrote all the while
  7  no adapter runs such a tool`

const EXAMPLES = `
  waybill init ./ledger
  waybill docs set pubmed:123 fetching --adapter pubmed
  waybill docs list --state failed --since 7d
  waybill submit OCR --input a.pdf --output a.txt
  waybill worker worker.ts
  waybill serve
  waybill run-job job.json
  waybill why JOB`

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
  for (const spec of FIRST) addCommand(program, spec, runner)
  for (const { name, about, commands } of GROUPS) {
    const group = program.command(name).summary(groupSummary(commands)).description(about)
    for (const spec of commands) addCommand(group, spec, runner)
  }
  for (const spec of LAST) addCommand(program, spec, runner)
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
    new Option(
      '--ledger <place>',
      'where the ledger is: a folder, sqlite:FILE, postgres://… or azure-tables:…',
    )
      .env('WAYBILL_LEDGER')
      .default('./ledger'),
    new Option(
      '--tenant <name>',
      'whose records; "default" unless told, and everybody\'s for ledger stats, ledger audit and tail',
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
