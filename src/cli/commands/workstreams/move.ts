import { Argument, Option } from 'commander'
import { statesOf } from '../../../core/machine.ts'
import { type WorkstreamState, workstreamMachine } from '../../../core/machines/workstream.ts'
import { defineCommand } from '../../define-command.ts'
import { stateOf } from '../../options/states.ts'
import { tellGroup } from '../runs/tell-group.ts'

interface Options {
  readonly reason?: string
}

interface MoveOptions extends Options {
  readonly ifMatch?: string
}

const id = () => new Argument('<id>', 'id of the workstream')
const reason = () => new Option('--reason <text>', 'why, for the history')

export const workstreamsMove = defineCommand<MoveOptions>({
  name: 'move',
  summary: 'say where a workstream stands, whatever its jobs do',
  about:
    'Moves a workstream to a state, as its card on the board is moved. By itself it follows its jobs; what it is told at ' +
    'its end counts. A state that cannot follow is refused, and the refusal is kept in the history.' +
    `\n\nStates: ${statesOf(workstreamMachine).join(', ')}`,
  arguments: [
    id(),
    new Argument('<state>', 'where it goes')
      .choices(statesOf(workstreamMachine))
      .argParser((text) => stateOf(text, 'workstream')),
  ],
  options: [
    reason(),
    new Option('--if-match <etag>', 'only if nobody has changed it since: the etag from workstreams show'),
  ],
  writes: true,
  examples: [
    ['workstreams move ws-parser ready', 'it may start'],
    ['workstreams move ws-parser skipped --reason "not in this release"', 'left out, and why'],
  ],
  exits: [
    [2, 'there is no such state'],
    [3, 'there is no such workstream'],
    [4, 'the state cannot follow the one it is in, or the etag is not that of --if-match'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, options, [workstream_id, state]) {
    const ledger = await session.openToChange()
    const by = { tenant_id: options.tenant, reason: options.reason, if_match: options.ifMatch }
    const moved = await ledger.workstreams.update(workstream_id as string, state as WorkstreamState, by)
    await tellGroup(session, moved)
  },
})

export const workstreamsSeal = defineCommand<Options>({
  name: 'seal',
  summary: 'say that no more jobs are to come',
  about:
    'Seals a workstream: it takes no more jobs, and ends when those it has do. One that is sealed stays so, which is no ' +
    'error. Sealing its run says the same of all its workstreams.',
  arguments: [id()],
  options: [reason()],
  writes: true,
  examples: [
    ['workstreams seal ws-parser', 'that was all'],
    ['workstreams seal ws-parser --json | jq -r .state', 'whether it has ended yet, for a program'],
  ],
  exits: [
    [3, 'there is no such workstream'],
    [4, 'it has ended'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, options, [workstream_id]) {
    const ledger = await session.openToChange()
    const by = { tenant_id: options.tenant, reason: options.reason }
    await tellGroup(session, await ledger.workstreams.seal(workstream_id as string, by))
  },
})
