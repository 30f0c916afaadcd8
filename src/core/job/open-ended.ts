import type { JobDraft } from './draft.ts'
import { BOOTSTRAP, policyOf } from './protocol.ts'
import type { StepRecord } from './record.ts'

/** Its stages appear as another scheduler reports them. */
export function isOpenEnded({ steps: [first] }: JobDraft): boolean {
  return first?.step_id === BOOTSTRAP && first.delivery === 'external'
}

/** Nobody knows yet whether another stage is to come. */
export function awaitReport(draft: JobDraft): void {
  if (!isOpenEnded(draft) || draft.active !== undefined) return
  draft.setJob({ report_by: draft.after(policyOf(draft.steps[0] as StepRecord, 'lease_ms')) })
}
