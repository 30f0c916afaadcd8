import { LedgerDamaged } from '../../../errors/journal-errors.ts'
import { isFolder } from '../../../store/open-store.ts'
import { defineCommand } from '../../define-command.ts'
import { findingText } from '../../output/finding-text.ts'
import { safeText } from '../../output/safe-text.ts'
import type { Session } from '../../session.ts'

const LOST = 1

export const ledgerRepair = defineCommand({
  name: 'repair',
  summary: 'make a damaged ledger one that can be written to again',
  about:
    'Repairs a damaged ledger in a folder. Everything that is whole and follows from what is there stays, also what came after ' +
    'the damage; what is taken out is kept in files beside it, and what could not be saved is named. Nobody may have ' +
    'the ledger open. A ledger that can be written to is left as it is; whether its sealed history is still what it was ' +
    'says ledger verify. Databases have tools of their own for this.',
  examples: [
    ['ledger verify', 'first: what is wrong?'],
    ['ledger repair', 'then: put it right'],
    ['ledger repair --json | jq .lost', 'what is lost, for a program'],
  ],
  exits: [
    [0, 'the ledger is good now, and nothing was lost'],
    [1, 'the ledger is good now, and something was lost'],
    [2, 'the ledger is in a database'],
    [5, 'it cannot be repaired: a file is missing'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, { ledger: folder }) {
    const { repairLedger } = await session.library()
    if (isFolder(folder)) await mustBeLedger(session)
    const report = await repairLedger(folder)
    if (report.lost.length > 0) session.found(LOST)
    if (session.isJson) return session.json(report)
    const { out } = session
    if (report.repaired.length === 0) return out.line('Nothing to repair: the ledger can be written to.')
    for (const finding of report.repaired) {
      await out.line(`${out.paint('green', 'repaired')}  ${findingText(finding)}`)
    }
    for (const path of report.kept) await out.line(`${out.paint('cyan', 'kept')}      ${safeText(path)}`)
    for (const [first, last] of report.lost) {
      await out.line(`${out.paint('red', 'lost')}      seq ${first} to ${last}`)
    }
    if (report.lost.length === 0) await out.line('Nothing was lost.')
  },
})

/** A folder that is not there must not be made, and one that holds something else not be touched. */
async function mustBeLedger(session: Session): Promise<void> {
  try {
    const { openLedger } = await session.library()
    const ledger = await openLedger(session.options.ledger, { journal: { readOnly: true } })
    await ledger.close()
  } catch (error) {
    if (!(error instanceof LedgerDamaged)) throw error
  }
}
