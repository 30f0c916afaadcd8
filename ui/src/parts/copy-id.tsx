import { useState } from 'react'
import styles from './copy-id.module.css'

const SHOWN_MS = 1200
const SHEETS = 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z'
const DONE = 'M3 8.5l3.5 3.5L13 4.5'

/** Copies a text, and says that it did. */
export function CopyId({ id, what = 'id' }: { readonly id: string; readonly what?: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(id)
    setCopied(true)
    setTimeout(() => setCopied(false), SHOWN_MS)
  }
  return (
    <button
      type="button"
      className={styles.copy}
      aria-label={isCopied ? 'Copied' : `Copy ${what}`}
      title={isCopied ? 'Copied' : `Copy ${what}`}
      onClick={() => void copy().catch(() => undefined)}
    >
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path d={isCopied ? DONE : SHEETS} />
      </svg>
    </button>
  )
}
