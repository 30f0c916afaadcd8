import type { StepRecord } from '../../../../src/core/job/record.ts'
import type { JobDetail } from '../../api/jobs.ts'
import { bytes } from '../../format/numbers.ts'
import { JsonView } from '../../parts/json-view.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import styles from './job.module.css'

/** What it was given, and what each step came to. */
export function PayloadTab({ job }: { readonly job: JobDetail }) {
  return (
    <div className={styles.stack}>
      <div className={styles.overview}>
        <Panel title="Input">
          <JsonView value={job.input_ref} label="input" />
        </Panel>
        <Panel title="Output">
          <JsonView value={job.output_ref} label="output" />
        </Panel>
      </div>
      <Panel title="Payload">
        <JsonView value={job.payload} label="payload" />
      </Panel>
      <Panel title="Metadata">
        <JsonView value={job.metadata} label="metadata" />
      </Panel>
      {job.steps.map((step) => (
        <Panel key={step.step_id} title={`What ${step.step_id} came to`}>
          <StepOutput step={step} />
        </Panel>
      ))}
    </div>
  )
}

function StepOutput({ step }: { readonly step: StepRecord }) {
  const { output, output_file, payload, result_ref } = step
  const hasNothing = output === null && output_file === null && payload === null && result_ref === null
  if (hasNothing) return <Notice kind="empty" title="It has no output yet, and no payload of its own" />
  return (
    <div className={styles.stack}>
      {payload === null ? null : <JsonView value={payload} label={`payload of ${step.step_id}`} />}
      {output === null ? null : <JsonView value={output} label={`output of ${step.step_id}`} />}
      {output_file === null ? null : (
        <p>
          Its output has {bytes(output_file.size_bytes)} and is in the file <code>{output_file.file}</code>{' '}
          (SHA-256 <code>{output_file.sha256}</code>).
        </p>
      )}
      {result_ref === null ? null : <JsonView value={result_ref} label={`result of ${step.step_id}`} />}
    </div>
  )
}
