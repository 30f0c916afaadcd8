import type { Finding } from '../../../store/store.ts'
import { defineCommand } from '../../define-command.ts'
import { findingText, isSealedHistory } from '../../output/finding-text.ts'
import { safeJson } from '../../output/safe-text.ts'
import { countOf } from '../../output/words.ts'
import type { Session } from '../../session.ts'

const CONTRADICTION = 1
const DAMAGE = 5

export const ledgerVerify = defineCommand({
  name: 'verify',
  summary: 'look for damage, and for records that contradict their history',
  about:
    'Reads every snapshot, everything written since and the whole history: checks every checksum, that the sealed ' +
    'history was not altered, and that records, counts and history tell the same story. Prints each finding as "where: what". It changes nothing and ' +
    'works while the ledger is in use. Of a ledger in a database the records, counts and history are checked; its ' +
    'bytes are checked by the database (PRAGMA integrity_check, pg_amcheck).',
  examples: [
    ['ledger verify', 'all well?'],
    ['ledger verify --ledger /backup/ledger && echo good', 'is the backup good?'],
    ['ledger verify --json | jq -r .where', 'where something is wrong, for a program'],
  ],
  exits: [
    [0, 'nothing is wrong'],
    [1, 'records, counts and history contradict each other'],
    [5, 'files are damaged; see waybill ledger repair --help'],
  ],
  async run(session) {
    const { out, notes } = session
    const ledger = await session.openToRead()
    const findings = await session.withProgress((onProgress) => ledger.check({ onProgress }))
    for (const finding of findings) {
      session.found(finding.damage === true ? DAMAGE : CONTRADICTION)
      await out.line(session.isJson ? safeJson(finding) : findingText(finding))
    }
    if (findings.length > 0) {
      const next = nextStep(session, findings)
      return notes.hint(`${countOf(findings.length, 'finding')}.${next}`, { findings: findings.length })
    }
    const { audit_records, records } = await ledger.stats()
    const total = Object.values(records).reduce((sum, n) => sum + n, 0)
    const checked = { records: total, audit_records }
    if (session.isJson) return notes.hint('Nothing is wrong.', checked)
    const history = countOf(audit_records, 'entry')
    await out.line(`Nothing is wrong: ${countOf(total, 'record')} and ${history} of history agree.`)
  },
})

function nextStep(session: Session, findings: readonly Finding[]): string {
  if (session.exitCode !== DAMAGE) return ''
  const sealed = findings.filter(({ where }) => isSealedHistory(where))
  const restore = sealed.length === 0 ? '' : ' Sealed history (in audit/) can only come back from a backup.'
  return sealed.length === findings.length ? restore : `${restore} Next: ${session.hintOf('ledger repair')}`
}
