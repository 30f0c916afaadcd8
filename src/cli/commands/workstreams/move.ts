import { Argument, Option } from 'commander'
import { statesOf } from '../../../core/machine.ts'
import { type WorkstreamState, workstreamMachine } from '../../../core/machines/workstream.ts'
import { type CommandSpec, defineCommand } from '../../define-command.ts'
import { stateOf } from '../../options/states.ts'
import { tellGroup } from '../runs/tell-group.ts'

interface Options {
  readonly reason?: string
  readonly ifMatch?: string
}

const STATES = statesOf(workstreamMachine)

const id = () => new Argument('<id>', 'id of the workstream')
const options = () => [
  new Option('--reason <text>', 'why, for the history'),
  new Option('--if-match <etag>', 'only if nobody has changed it since: the etag from workstreams show'),
]
const exits: CommandSpec['exits'] = [
  [3, 'there is no such workstream'],
  [4, 'it has ended, the state cannot follow the one it is in, or the etag is not that of --if-match'],
  [6, 'another process has the ledger open for writing'],
]

export const workstreamsSet = defineCommand<Options>({
  name: 'set',
  summary: 'say where a workstream stands',
  about:
    'Moves a workstream to a state, as moving its card on the board does. Its jobs are left as they are. A state that ' +
    `cannot follow is refused.\n\nStates: ${STATES.join(', ')}`,
  arguments: [
    id(),
    new Argument('<state>', 'where it goes').choices(STATES).argParser((text) => stateOf(text, 'workstream')),
  ],
  options: options(),
  writes: true,
  examples: [
    ['workstreams set ws-parser ready', 'it may start'],
    ['workstreams set ws-parser skipped --reason "not this time"', 'it is left out, and why'],
  ],
  exits,
  async run(session, { tenant: tenant_id, reason, ifMatch: if_match }, [workstream_id, state]) {
    const ledger = await session.openToChange()
    const by = { tenant_id, reason, if_match }
    const moved = await ledger.workstreams.update(workstream_id as string, state as WorkstreamState, by)
    await tellGroup(session, moved)
  },
})

export const workstreamsSeal = defineCommand<Options>({
  name: 'seal',
  summary: 'say that no more jobs are to come',
  about:
    'Seals a workstream: it takes no more jobs, and ends when those it has do. One that is sealed stays so, which is no ' +
    'error.',
  arguments: [id()],
  options: options(),
  writes: true,
  examples: [
    ['workstreams seal ws-parser', 'that was all'],
    ['workstreams seal ws-parser && waybill workstreams show ws-parser', 'and look how it goes'],
  ],
  exits,
  async run(session, { tenant: tenant_id, reason, ifMatch: if_match }, [workstream_id]) {
    const ledger = await session.openToChange()
    await tellGroup(
      session,
      await ledger.workstreams.seal(workstream_id as string, { tenant_id, reason, if_match }),
    )
  },
})
