// What came of something: said once, in a corner, and gone by itself; what went wrong stays until it is put away.
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from 'react'
import { ApiError } from '../api/client.ts'
import styles from './toasts.module.css'

interface Toast {
  readonly id: number
  readonly tone: 'good' | 'bad'
  readonly text: string
  readonly more: string | null
}

interface Toasts {
  say(text: string, more?: string): void
  /** An error with what can be done about it. */
  fail(error: unknown): void
}

const ToastContext = createContext<Toasts | null>(null)
const GONE_MS = 5000
const MOST = 4
let nextId = 1

export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [shown, setShown] = useState<readonly Toast[]>([])
  const remove = useCallback((id: number) => setShown((all) => all.filter((toast) => toast.id !== id)), [])
  const toasts = useMemo<Toasts>(() => {
    const add = (toast: Omit<Toast, 'id'>) => {
      const id = nextId++
      setShown((all) => [...all, { ...toast, id }].slice(-MOST))
      if (toast.tone === 'good') setTimeout(() => remove(id), GONE_MS)
    }
    return {
      say: (text, more) => add({ tone: 'good', text, more: more ?? null }),
      fail: (error) =>
        add({ tone: 'bad', text: textOf(error), more: error instanceof ApiError ? error.next : null }),
    }
  }, [remove])
  return (
    <ToastContext value={toasts}>
      {children}
      <div className={styles.toasts} role="status" aria-live="polite">
        {shown.map(({ id, tone, text, more }) => (
          <div key={id} className={styles.toast} data-tone={tone}>
            <div>
              <p className={styles.text}>{text}</p>
              {more === null ? null : <p>{more}</p>}
            </div>
            <button type="button" aria-label="Put away" onClick={() => remove(id)}>
              ×
            </button>
          </div>
        ))}
      </div>
    </ToastContext>
  )
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

export function useToasts(): Toasts {
  const toasts = useContext(ToastContext)
  if (toasts === null) throw new Error('useToasts outside of its provider')
  return toasts
}
