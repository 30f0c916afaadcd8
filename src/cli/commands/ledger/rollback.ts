import { Argument } from 'commander'
import { defineCommand } from '../../define-command.ts'
import { safeText } from '../../output/safe-text.ts'

export const ledgerRollback = defineCommand({
  name: 'rollback',
  summary: 'put an old log back as it was before it was migrated',
  about:
    'Puts a log back as it was before its first migration, from the backup beside it. What is there now is kept as ' +
    '<log>.migrated. A ledger that took the log over is left as it is. To run it again does nothing.',
  arguments: [new Argument('<log>', 'the log, not its backup')],
  examples: [
    ['ledger rollback ledger.jsonl', 'ledger.jsonl is what ledger.jsonl.backup is'],
    ['ledger rollback ledger.jsonl --json | jq -r .kept', 'where the migrated file is kept, for a program'],
  ],
  exits: [[3, 'there is no backup of this log']],
  async run(session, _options, [log]) {
    const { rollbackLegacy } = await session.library()
    const report = await rollbackLegacy(log as string)
    if (session.isJson) return session.json(report)
    const { out } = session
    if (!report.restored) return out.line(`${safeText(report.file)} is as it was: nothing to put back.`)
    await out.line(`Put ${safeText(report.file)} back as it is in ${safeText(report.backup)}`)
    if (report.kept !== null) await out.line(`What was there instead is in ${safeText(report.kept)}`)
  },
})
