import { Component, type ErrorInfo, type ReactNode, useId } from 'react'
import { askAnew } from '../api/query-client.ts'
import { ErrorNotice } from './notice.tsx'
import styles from './panel.module.css'

interface PanelProps {
  readonly title: string
  /** Beside the title: buttons, a link. */
  readonly actions?: ReactNode
  readonly children: ReactNode
  /** Without a margin of its own, for tables and charts. */
  readonly isFlush?: boolean
}

/** A part of a screen. When it breaks, the others stay. */
export function Panel({ title, actions, children, isFlush = false }: PanelProps) {
  const id = useId()
  return (
    <section className={styles.panel} aria-labelledby={id}>
      <header className={styles.head}>
        <h2 id={id}>{title}</h2>
        {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
      </header>
      <div className={isFlush ? styles.flush : styles.body}>
        <Contained>{children}</Contained>
      </div>
    </section>
  )
}

/** Keeps what fails within from taking down what is around it. */
export class Contained extends Component<{ readonly children: ReactNode }, { readonly error: unknown }> {
  override state: { readonly error: unknown } = { error: null }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    console.error(error, info.componentStack)
  }

  /** What could not be shown would fail again as it is. */
  async #tryAgain(): Promise<void> {
    await askAnew()
    this.setState({ error: null })
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === null) return this.props.children
    return <ErrorNotice error={error} retry={() => void this.#tryAgain()} />
  }
}
