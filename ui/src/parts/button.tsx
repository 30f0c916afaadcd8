import type { ReactNode } from 'react'
import styles from './button.module.css'

interface ButtonProps {
  readonly children: ReactNode
  /** Absent for a button that submits its form. */
  readonly onClick?: () => void
  readonly look?: 'plain' | 'primary' | 'danger' | 'quiet'
  /** Why it cannot be pressed now; it can be when this is null. It stays reachable, so that the reason can be read. */
  readonly whyNot?: string | null
  readonly title?: string
  readonly label?: string
  readonly isPressed?: boolean
  readonly isBusy?: boolean
}

export function Button({
  children,
  onClick,
  look = 'plain',
  whyNot = null,
  title,
  label,
  isPressed,
  isBusy = false,
}: ButtonProps) {
  return (
    <button
      type={onClick === undefined ? 'submit' : 'button'}
      className={`${styles.button} ${styles[look]}`}
      aria-disabled={whyNot !== null || isBusy ? true : undefined}
      aria-label={label}
      aria-pressed={isPressed}
      title={whyNot ?? title}
      onClick={(event) => {
        if (whyNot !== null || isBusy) event.preventDefault()
        else onClick?.()
      }}
    >
      {children}
    </button>
  )
}
