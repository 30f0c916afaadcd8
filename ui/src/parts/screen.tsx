import type { ReactNode } from 'react'
import { useTitle } from '../app/title.ts'
import styles from './screen.module.css'

interface ScreenProps {
  readonly title: string
  /** Before the title: where this is. */
  readonly before?: ReactNode
  /** What the head shows instead of the plain title. */
  readonly heading?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
  /** As high as the window: what is in it scrolls by itself. */
  readonly isTall?: boolean
}

/** One screen: a head with title and actions, and what it is about. */
export function Screen({ title, before, heading, actions, children, isTall = false }: ScreenProps) {
  useTitle(title)
  return (
    <div className={isTall ? styles.tall : styles.screen}>
      <header className={styles.head}>
        <div className={styles.heading}>
          {before === undefined ? null : <div className={styles.before}>{before}</div>}
          <h1>{heading ?? title}</h1>
        </div>
        {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}
