import { CopyId } from './copy-id.tsx'
import styles from './json-view.module.css'

/** Data as it is, as text and nothing else. */
export function JsonView({ value, label }: { readonly value: unknown; readonly label: string }) {
  const text = JSON.stringify(value, null, 2) ?? 'nothing'
  return (
    <div className={styles.view}>
      <CopyId id={text} what={label} />
      <pre tabIndex={0} aria-label={label}>
        {text}
      </pre>
    </div>
  )
}
