// What a question about a job asks besides the reason. They keep what was said themselves: the dialog does not draw them anew.
import { useState } from 'react'
import type { Obstacle } from '../../../../../src/core/job/commands.ts'
import type { Expediting } from '../../../api/job-commands.ts'
import { PRIORITIES } from '../../../api/vocabulary.ts'
import styles from './dialog-fields.module.css'

interface FromStepProps {
  readonly steps: readonly string[]
  onChange(step: string): void
}

export function FromStepField({ steps, onChange }: FromStepProps) {
  return (
    <div className={styles.fields}>
      <p>It makes a new job. What steps before the chosen one came to is taken over.</p>
      <label className={styles.field}>
        Begin with
        <select onChange={({ target }) => onChange(target.value)}>
          <option value="">the whole job, from its first step</option>
          {steps.map((step) => (
            <option key={step} value={step}>
              {step}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}

const IGNORED: readonly (readonly [Obstacle, string])[] = [
  ['dependencies', 'Do not wait for jobs that it depends on'],
  ['limits', 'Pass all limits'],
  ['gate', 'Open the gate that it waits at'],
  ['attempt', 'End the attempt that is under way, and begin the next one'],
]

export function ExpediteFields({ onChange }: { onChange(how: Expediting): void }) {
  const [how, setHow] = useState<{ readonly priority: string; readonly ignore: readonly Obstacle[] }>({
    priority: '',
    ignore: [],
  })
  const change = (next: typeof how) => {
    setHow(next)
    onChange({
      ...(next.priority === '' ? null : { priority: next.priority }),
      ...(next.ignore.length === 0 ? null : { ignore: next.ignore }),
    })
  }
  const toggle = (obstacle: Obstacle) =>
    how.ignore.includes(obstacle) ? how.ignore.filter((one) => one !== obstacle) : [...how.ignore, obstacle]
  return (
    <div className={styles.fields}>
      <p>Delays and backoffs end now. It may do more:</p>
      {IGNORED.map(([obstacle, about]) => (
        <label key={obstacle} className={styles.check}>
          <input
            type="checkbox"
            checked={how.ignore.includes(obstacle)}
            onChange={() => change({ ...how, ignore: toggle(obstacle) })}
          />
          {about}
        </label>
      ))}
      <label className={styles.field}>
        Priority
        <select value={how.priority} onChange={({ target }) => change({ ...how, priority: target.value })}>
          <option value="">as it is</option>
          {PRIORITIES.map((priority) => (
            <option key={priority} value={priority}>
              {priority}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}

interface Annotation {
  readonly name: string
  readonly value: string
}

export function AnnotateFields({ onChange }: { onChange(said: Annotation): void }) {
  const [said, setSaid] = useState<Annotation>({ name: '', value: '' })
  const change = (next: Annotation) => {
    setSaid(next)
    onChange(next)
  }
  return (
    <div className={styles.fields}>
      <p>It is laid over what is known of the job, and gates look at it. The value null takes a name away.</p>
      <label className={styles.field}>
        Name
        <input
          value={said.name}
          autoComplete="off"
          onChange={({ target }) => change({ ...said, name: target.value })}
        />
      </label>
      <label className={styles.field}>
        Value, text or JSON
        <textarea
          rows={3}
          value={said.value}
          onChange={({ target }) => change({ ...said, value: target.value })}
        />
      </label>
    </div>
  )
}
