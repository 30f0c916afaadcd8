import { Argument, Option } from 'commander'
import type { JsonObject } from '../../../core/json.ts'
import { statesOf } from '../../../core/machine.ts'
import { type RunState, runMachine } from '../../../core/machines/run.ts'
import { type CommandSpec, defineCommand } from '../../define-command.ts'
import { parseMetadata } from '../../options/metadata.ts'
import { stateOf } from '../../options/states.ts'
import { safeText } from '../../output/safe-text.ts'
import { tellGroup } from './tell-group.ts'

interface Options {
  readonly reason?: string
}

interface MoveOptions extends Options {
  readonly ifMatch?: string
}

interface CreateOptions extends Options {
  readonly metadata?: JsonObject
}

const id = () => new Argument('<id>', 'id of the run')
const reason = () => new Option('--reason <text>', 'why, for the history')
const exits: CommandSpec['exits'] = [
  [3, 'there is no such run'],
  [4, 'it has ended'],
  [6, 'another process has the ledger open for writing'],
]

export const runsCreate = defineCommand<CreateOptions>({
  name: 'create',
  summary: 'begin a run, for jobs that belong together',
  about:
    'Makes a run and prints its id. A job that names a run which is not there makes it as well; this is for saying ' +
    'something of it, or for an id that nobody else has.',
  arguments: [new Argument('[id]', 'its id; a fresh one unless told')],
  options: [
    new Option('--metadata <json>', 'something to know about it, as an object').argParser(parseMetadata),
    reason(),
  ],
  writes: true,
  examples: [
    ['runs create', 'with an id of its own'],
    [`runs create nightly-1 --metadata '{"branch": "main"}'`, 'with a name, and what it is for'],
  ],
  exits: [
    [4, 'the id is taken'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, options, [run_id]) {
    const ledger = await session.openToChange()
    const run = await ledger.runs.create(
      { run_id: run_id as string | undefined, metadata: options.metadata },
      { tenant_id: options.tenant, reason: options.reason },
    )
    if (session.isJson) return session.json(run)
    await session.out.line(safeText(run.run_id))
  },
})

export const runsMove = defineCommand<MoveOptions>({
  name: 'move',
  summary: 'say where a run stands, whatever its jobs do',
  about:
    'Moves a run to a state. By itself it follows its jobs; this is for whoever knows better. What it is told at its end ' +
    'counts. A state that cannot follow is refused, and the refusal is kept in the history.' +
    `\n\nStates: ${statesOf(runMachine).join(', ')}`,
  arguments: [
    id(),
    new Argument('<state>', 'where it goes')
      .choices(statesOf(runMachine))
      .argParser((text) => stateOf(text, 'run')),
  ],
  options: [
    reason(),
    new Option('--if-match <etag>', 'only if nobody has changed it since: the etag from runs show'),
  ],
  writes: true,
  examples: [
    ['runs move run-1 running', 'it has begun'],
    ['runs move run-1 failed --reason "the input was wrong"', 'whatever its jobs say'],
  ],
  exits: [
    [2, 'there is no such state'],
    [3, 'there is no such run'],
    [4, 'the state cannot follow the one it is in, or the etag is not that of --if-match'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, options, [run_id, state]) {
    const ledger = await session.openToChange()
    const by = { tenant_id: options.tenant, reason: options.reason, if_match: options.ifMatch }
    await tellGroup(session, await ledger.runs.update(run_id as string, state as RunState, by))
  },
})

export const runsSeal = defineCommand<Options>({
  name: 'seal',
  summary: 'say that no more jobs are to come',
  about:
    'Seals a run: it takes no more jobs, and ends when those it has do. Until then nobody knows whether another job ' +
    'is to come, and a run whose jobs have all ended goes on. One that is sealed stays so, which is no error.',
  arguments: [id()],
  options: [reason()],
  writes: true,
  examples: [
    ['runs seal run-1', 'that was all'],
    ['runs seal run-1 && waybill runs show run-1', 'and look how it goes'],
  ],
  exits,
  async run(session, options, [run_id]) {
    const ledger = await session.openToChange()
    const by = { tenant_id: options.tenant, reason: options.reason }
    await tellGroup(session, await ledger.runs.seal(run_id as string, by))
  },
})

export const runsCancel = defineCommand<Options>({
  name: 'cancel',
  summary: 'end all that is open of a run',
  about:
    'Cancels every job of a run that has not ended, and seals it. What runs is told to stop; the run ends when the last ' +
    'of its jobs has, and at once when none is open.',
  arguments: [id()],
  options: [reason()],
  writes: true,
  examples: [
    ['runs cancel run-1 --reason "wrong branch"', 'all of it'],
    ['runs cancel run-1 --json | jq -r .state', 'whether it has ended yet, for a program'],
  ],
  exits,
  async run(session, options, [run_id]) {
    const ledger = await session.openToChange()
    const by = { tenant_id: options.tenant, reason: options.reason }
    await tellGroup(session, await ledger.runs.cancel(run_id as string, by))
  },
})
