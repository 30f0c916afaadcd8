import { useState } from 'react'
import styles from './copy-id.module.css'

const SHOWN_MS = 1200

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
      {isCopied ? '✓' : '⧉'}
    </button>
  )
}
