import { useState } from 'react'
import { check, compact, type Finding, type MaintenanceReport } from '../../api/maintenance.ts'
import { bytes, count, many } from '../../format/numbers.ts'
import { Button } from '../../parts/button.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useToasts } from '../../parts/toasts.tsx'
import { When } from '../../parts/when.tsx'
import styles from './settings.module.css'

/** The ledger as a whole. */
export function Maintenance() {
  const [compacting, compacted] = useOnce(compact)
  const [checking, checked] = useOnce(check)
  return (
    <Panel title="Maintenance">
      <div className={styles.stack}>
        <div className={styles.act}>
          <Button onClick={compacting.run} isBusy={compacting.isBusy}>
            {compacting.isBusy ? 'Compacting…' : 'Compact'}
          </Button>
          <p className={styles.muted}>
            Makes a snapshot, seals the history that led there, and removes what is older than it is kept.
          </p>
        </div>
        {compacted === null ? null : <Compacted report={compacted} />}
        <div className={styles.act}>
          <Button onClick={checking.run} isBusy={checking.isBusy}>
            {checking.isBusy ? 'Looking…' : 'Check'}
          </Button>
          <p className={styles.muted}>Looks for damage and contradictions. Nothing is changed.</p>
        </div>
        {checked === null ? null : <Findings findings={checked} />}
      </div>
    </Panel>
  )
}

function useOnce<T>(does: () => Promise<T>) {
  const toasts = useToasts()
  const [isBusy, setBusy] = useState(false)
  const [done, setDone] = useState<T | null>(null)
  const run = () => {
    setBusy(true)
    does()
      .then((came) => setDone(() => came))
      .catch(toasts.fail)
      .finally(() => setBusy(false))
  }
  return [{ run, isBusy }, done] as const
}

function Compacted({
  report: { compacted, removed_audit_records, snapshot },
}: {
  readonly report: MaintenanceReport
}) {
  return (
    <p className={styles.result} role="status" data-tone="good">
      {compacted ? 'Done. ' : 'There was nothing to do. '}
      {removed_audit_records === 0
        ? 'Nothing was old enough to be removed. '
        : `${many(removed_audit_records, 'entry', 'entries')} of the history removed. `}
      {snapshot === null ? null : (
        <>
          The newest snapshot has {many(snapshot.document_count, 'document')} and {bytes(snapshot.bytes)},
          made <When at={snapshot.created_at} />.
        </>
      )}
    </p>
  )
}

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  if (findings.length === 0) {
    return (
      <p className={styles.result} role="status" data-tone="good">
        Records and history agree, and nothing is damaged.
      </p>
    )
  }
  return (
    <div className={styles.result} role="status" data-tone="bad">
      <p>{count(findings.length)} found:</p>
      <ul>
        {findings.map(({ where, what }) => (
          <li key={`${where} ${what}`}>
            <strong>{where}</strong> {what}
          </li>
        ))}
      </ul>
    </div>
  )
}
