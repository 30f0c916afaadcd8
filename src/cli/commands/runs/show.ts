import { Argument } from 'commander'
import { defineCommand } from '../../define-command.ts'
import { Table } from '../../output/table.ts'
import { workstreamColumns } from './group-columns.ts'
import { jobsOfGroup } from './group-jobs.ts'
import { eventLines, groupSheet } from './group-sheet.ts'
import { groupNotFound } from './not-found.ts'

/** Workstreams that are shown, and runs whose names are looked through for a misspelt one. */
const A_PAGE = 1000

export const runsShow = defineCommand({
  name: 'show',
  summary: 'everything about one run',
  about:
    'Shows a run: how it goes, its workstreams, how many of its jobs are in which state, and what happened last. Its ' +
    'jobs are listed by: waybill jobs list --run ID.',
  arguments: [new Argument('<id>', 'id of the run')],
  examples: [
    ['runs show run-1', 'how far it is'],
    ['runs show run-1 --json | jq .jobs.by_state.FAILED_FINAL', 'one number, for a program'],
  ],
  exits: [[3, 'there is no such run']],
  async run(session, { tenant: tenant_id }, [id]) {
    const { out, clock } = session
    const run_id = id as string
    const ledger = await session.openToRead()
    const run = await ledger.runs.get(run_id, tenant_id)
    if (run === null) {
      const { items } = await ledger.runs.list({ tenant_id, limit: A_PAGE })
      throw groupNotFound(
        session,
        'run',
        run_id,
        items.map((one) => one.run_id),
      )
    }
    const { items: workstreams } = await ledger.workstreams.list({ tenant_id, run_id, limit: A_PAGE })
    const jobs = await jobsOfGroup(ledger, run)
    if (session.isJson) return session.json({ ...run, workstreams, jobs })
    await out.write(groupSheet(session, run, jobs))
    if (workstreams.length > 0) {
      await out.write(`\n${out.paint('bold', 'WORKSTREAMS')}\n`)
      const columns = workstreamColumns(clock.now()).filter(({ title }) => title !== 'RUN')
      await new Table(out, columns).write(workstreams)
    }
    await out.write(eventLines(session, jobs))
  },
})
