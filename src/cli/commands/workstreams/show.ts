import { Argument } from 'commander'
import { defineCommand } from '../../define-command.ts'
import { jobsOfGroup } from '../runs/group-jobs.ts'
import { eventLines, groupSheet } from '../runs/group-sheet.ts'
import { groupNotFound } from '../runs/not-found.ts'

/** Names that are looked through for a misspelt one. */
const A_PAGE = 1000

export const workstreamsShow = defineCommand({
  name: 'show',
  summary: 'everything about one workstream',
  about:
    'Shows a workstream: how it goes, the run it belongs to, how many of its jobs are in which state, and what happened ' +
    'last. Its jobs are listed by: waybill jobs list --workstream ID.',
  arguments: [new Argument('<id>', 'id of the workstream')],
  examples: [
    ['workstreams show ws-parser', 'how far it is'],
    ['workstreams show ws-parser --json | jq -r .state', 'its state, for a program'],
  ],
  exits: [[3, 'there is no such workstream']],
  async run(session, { tenant: tenant_id }, [id]) {
    const ledger = await session.openToRead()
    const workstream = await ledger.workstreams.get(id as string, tenant_id)
    if (workstream === null) {
      const { items } = await ledger.workstreams.list({ tenant_id, limit: A_PAGE })
      const known = items.map(({ workstream_id }) => workstream_id)
      throw groupNotFound(session, 'workstream', id as string, known)
    }
    const jobs = await jobsOfGroup(ledger, workstream)
    if (session.isJson) return session.json({ ...workstream, jobs })
    await session.out.write(groupSheet(session, workstream, jobs))
    await session.out.write(eventLines(session, jobs))
  },
})
