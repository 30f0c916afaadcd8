import { CopyId } from '../../parts/copy-id.tsx'
import styles from './settings.module.css'

interface OnceProps {
  readonly secret: string
  /** `token`, `link`. */
  readonly what: string
  readonly children: React.ReactNode
}

/** Something that is shown this one time. */
export function Once({ secret, what, children }: OnceProps) {
  return (
    <div className={styles.once} role="status">
      <p>{children}</p>
      <p className={styles.secret}>
        <code>{secret}</code>
        <CopyId id={secret} what={what} />
      </p>
    </div>
  )
}
