// Asks before something is done: it says what, to how many, and takes the reason that is kept in the history.
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react'
import { Button } from './button.tsx'
import styles from './confirm.module.css'
import { Dialog } from './dialog.tsx'
import fields from './field.module.css'

export interface Question {
  /** `Cancel 3 jobs?` */
  readonly title: string
  readonly body?: ReactNode
  /** What the button says: `Cancel 3 jobs`. */
  readonly confirm: string
  readonly isDangerous?: boolean
}

export interface Confirmed {
  /** Empty when nobody gave one. */
  readonly reason: string
}

type Confirm = (question: Question) => Promise<Confirmed | null>

const ConfirmContext = createContext<Confirm | null>(null)

interface Asking {
  readonly question: Question
  resolve(answer: Confirmed | null): void
}

export function ConfirmProvider({ children }: { readonly children: ReactNode }) {
  const [asking, setAsking] = useState<Asking | null>(null)
  const confirm = useCallback<Confirm>(
    (question) => new Promise((resolve) => setAsking({ question, resolve })),
    [],
  )
  const answer = (given: Confirmed | null) => {
    asking?.resolve(given)
    setAsking(null)
  }
  return (
    <ConfirmContext value={confirm}>
      {children}
      {asking === null ? null : <ConfirmDialog question={asking.question} onAnswer={answer} />}
    </ConfirmContext>
  )
}

interface ConfirmDialogProps {
  readonly question: Question
  onAnswer(answer: Confirmed | null): void
}

function ConfirmDialog({ question, onAnswer }: ConfirmDialogProps) {
  const reason = useRef<HTMLInputElement>(null)
  return (
    <Dialog label={{ by: 'confirm-title' }} onClose={() => onAnswer(null)}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onAnswer({ reason: reason.current?.value.trim() ?? '' })
        }}
      >
        <h2 id="confirm-title">{question.title}</h2>
        {question.body === undefined ? null : <div className={styles.body}>{question.body}</div>}
        <label className={fields.field}>
          Reason, kept in the history
          <input ref={reason} name="reason" maxLength={1000} autoComplete="off" />
        </label>
        <div className={styles.buttons}>
          <Button onClick={() => onAnswer(null)}>Leave it</Button>
          <Button look={question.isDangerous === true ? 'danger' : 'primary'}>{question.confirm}</Button>
        </div>
      </form>
    </Dialog>
  )
}

export function useConfirm(): Confirm {
  const confirm = useContext(ConfirmContext)
  if (confirm === null) throw new Error('useConfirm outside of its provider')
  return confirm
}
