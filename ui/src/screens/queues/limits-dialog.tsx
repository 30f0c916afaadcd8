// How much of a queue may run at once, and how much may begin within a while.
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { limitQueue, type QueueLoad, queuesQuery } from '../../api/queues.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useToasts } from '../../parts/toasts.tsx'
import { formOf, type LimitsForm, limitsOf, UNITS, type Unit } from './limits.ts'
import styles from './queues.module.css'

interface LimitsDialogProps {
  readonly load: QueueLoad
  readonly onClose: () => void
}

export function LimitsDialog({ load, onClose }: LimitsDialogProps) {
  const [form, setForm] = useState<LimitsForm>(() => formOf(load))
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const save = useSave(load.queue, onClose)
  const set = (change: Partial<LimitsForm>) => setForm((before) => ({ ...before, ...change }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const limits = limitsOf(form)
    setProblem(typeof limits === 'string' ? limits : null)
    if (typeof limits !== 'string') void save(limits, reason)
  }
  return (
    <Dialog label={{ by: 'limits-title' }} onClose={onClose}>
      <form onSubmit={submit}>
        <h2 id="limits-title">Limits of {load.queue}</h2>
        <p className={styles.none}>Over all tenants. What is left empty is not limited.</p>
        <Field
          label="Most at once"
          value={form.concurrency}
          onChange={(concurrency) => set({ concurrency })}
        />
        <div className={styles.rate}>
          <Field label="Most begun" value={form.max} onChange={(max) => set({ max })} />
          <Field label="within" value={form.per} onChange={(per) => set({ per })} />
          <label className={styles.field}>
            unit
            <select value={form.unit} onChange={({ target }) => set({ unit: target.value as Unit })}>
              {UNITS.map(({ value }) => (
                <option key={value} value={value}>
                  {value}s
                </option>
              ))}
            </select>
          </label>
        </div>
        <label className={styles.field}>
          Reason, kept in the history
          <input value={reason} maxLength={1000} onChange={({ target }) => setReason(target.value)} />
        </label>
        {problem === null ? null : (
          <p className={styles.problem} role="alert">
            {problem}
          </p>
        )}
        <div className={styles.buttons}>
          <Button onClick={onClose}>Leave it</Button>
          <Button look="primary">Set limits</Button>
        </div>
      </form>
    </Dialog>
  )
}

function useSave(queue: string, onClose: () => void) {
  const toasts = useToasts()
  const client = useQueryClient()
  return async (limits: Parameters<typeof limitQueue>[1], reason: string) => {
    try {
      await limitQueue(queue, limits, reason)
      toasts.say(`The limits of ${queue} are set`)
      onClose()
    } catch (error) {
      toasts.fail(error)
    }
    await client.invalidateQueries({ queryKey: queuesQuery.queryKey })
  }
}

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

function Field({ label, value, onChange }: FieldProps) {
  return (
    <label className={styles.field}>
      {label}
      <input
        inputMode="decimal"
        autoComplete="off"
        value={value}
        placeholder="no limit"
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  )
}
