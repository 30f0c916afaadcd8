// What is shown instead of something: each reason looks and reads differently, because what to do next differs.
import type { ReactNode } from 'react'
import { ApiError, Unreachable } from '../api/client.ts'
import { Button } from './button.tsx'
import styles from './notice.module.css'

type NoticeKind = 'empty' | 'no-match' | 'disconnected' | 'forbidden' | 'missing' | 'problem'

const MARK: { readonly [kind in NoticeKind]: string } = {
  empty: '○',
  'no-match': '⌕',
  disconnected: '⚡',
  forbidden: '⛨',
  missing: '∅',
  problem: '!',
}

interface NoticeProps {
  readonly kind: NoticeKind
  readonly title: string
  readonly children?: ReactNode
  readonly action?: { readonly label: string; readonly run: () => void } | undefined
}

export function Notice({ kind, title, children, action }: NoticeProps) {
  const isAlert = kind === 'problem' || kind === 'disconnected'
  return (
    <div className={styles.notice} data-notice={kind} role={isAlert ? 'alert' : 'note'}>
      <span className={styles.mark} aria-hidden="true">
        {MARK[kind]}
      </span>
      <p className={styles.title}>{title}</p>
      {children === undefined ? null : <div className={styles.more}>{children}</div>}
      {action === undefined ? null : <Button onClick={action.run}>{action.label}</Button>}
    </div>
  )
}

/** What went wrong, told by what kind of thing it is. */
export function ErrorNotice({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const action = retry === undefined ? undefined : { label: 'Try again', run: retry }
  if (error instanceof Unreachable) {
    return (
      <Notice kind="disconnected" title="The server cannot be reached" action={action}>
        It is tried again by itself. Nothing is lost: what was there is still on the server.
      </Notice>
    )
  }
  if (!(error instanceof ApiError)) {
    return (
      <Notice kind="problem" title="This part of the page has failed" action={action}>
        {error instanceof Error ? error.message : String(error)}
      </Notice>
    )
  }
  const { status, message, next, code, requestId } = error
  const kind = status === 403 ? 'forbidden' : status === 404 ? 'missing' : 'problem'
  return (
    <Notice kind={kind} title={message} action={kind === 'problem' ? action : undefined}>
      {next}
      {requestId === null || kind !== 'problem' ? null : (
        <p className={styles.code}>
          {code} · request {requestId}
        </p>
      )}
    </Notice>
  )
}
