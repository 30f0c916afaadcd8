import type { ReactNode } from 'react'
import styles from './dialog.module.css'

interface DialogProps {
  /** The id of its heading, or the name itself. */
  readonly label: { readonly by: string } | string
  readonly isWide?: boolean
  /** Escape was pressed, or it was closed otherwise. */
  onClose(): void
  readonly children: ReactNode
}

/** Something that has to be answered before anything else is. */
export function Dialog({ label, isWide = false, onClose, children }: DialogProps) {
  return (
    <dialog
      className={isWide ? styles.wide : styles.dialog}
      {...(typeof label === 'string' ? { 'aria-label': label } : { 'aria-labelledby': label.by })}
      ref={modal}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClose={({ currentTarget }) => {
        // Not when it was closed because it goes.
        if (currentTarget.isConnected && !currentTarget.open) onClose()
      }}
    >
      {children}
    </dialog>
  )
}

/**
 * Above everything for as long as it is in the document. It is closed before it goes, so that what had the focus gets it back: an
 * open one that is only taken away leaves whoever uses keys at the beginning of the page.
 */
function modal(dialog: HTMLDialogElement): () => void {
  dialog.showModal()
  return () => dialog.close()
}
