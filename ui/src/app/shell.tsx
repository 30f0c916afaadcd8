// What is around every screen: where one can go, whose records are shown, and whether what is shown is live.
import { useQueries } from '@tanstack/react-query'
import { Outlet, useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { ApiError } from '../api/client.ts'
import { Live } from '../api/live.ts'
import { machinesQuery } from '../api/machines.ts'
import { queryClient } from '../api/query-client.ts'
import { ALL_TENANTS, isForAll, type Session, sessionQuery } from '../api/session.ts'
import { Loading } from '../parts/answer.tsx'
import { ConfirmProvider } from '../parts/confirm.tsx'
import { ErrorNotice } from '../parts/notice.tsx'
import { Contained } from '../parts/panel.tsx'
import { ToastProvider } from '../parts/toasts.tsx'
import { PageContext } from './context.ts'
import { Navigation, PLACES } from './navigation.tsx'
import { SearchBox } from './search-box.tsx'
import styles from './shell.module.css'
import { ShortcutDialog } from './shortcut-dialog.tsx'
import { useShortcuts } from './shortcuts.ts'
import { TenantChoice } from './tenant-choice.tsx'
import { useUrlState } from './url-state.ts'

const live = new Live(queryClient)

export function Shell() {
  const [session, machines] = useQueries({ queries: [sessionQuery, machinesQuery] })
  const [{ tenant: named }] = useUrlState()
  const error = session.error ?? machines.error
  const isStranger = error instanceof ApiError && error.status === 401
  useEffect(() => {
    if (isStranger) location.replace('/login')
  }, [isStranger])
  const tenant = session.data === undefined ? undefined : tenantOf(session.data, named)
  useEffect(() => {
    if (tenant !== undefined) live.follow(tenant)
  }, [tenant])
  const page = useMemo(
    () =>
      session.data === undefined || machines.data === undefined || tenant === undefined
        ? null
        : { session: session.data, machines: machines.data, live, tenant },
    [session.data, machines.data, tenant],
  )
  if (page === null) {
    if (error === null || isStranger) return <Loading />
    const retry = () => void Promise.all([session.refetch(), machines.refetch()])
    return <ErrorNotice error={error} retry={retry} />
  }
  return (
    <PageContext value={page}>
      <ToastProvider>
        <ConfirmProvider>
          <Frame />
        </ConfirmProvider>
      </ToastProvider>
    </PageContext>
  )
}

/** The one named, if any; else everybody's for those who may see them. */
function tenantOf(session: Session, named: string | undefined): string {
  if (named !== undefined) return named
  return isForAll(session) ? ALL_TENANTS : (session.tenants[0] ?? session.default_tenant)
}

function Frame() {
  const [isHelpOpen, setHelpOpen] = useState(false)
  const navigate = useNavigate()
  useShortcuts('Everywhere', [
    { keys: '?', about: 'These shortcuts', run: () => setHelpOpen(true) },
    { keys: '/', about: 'Search', run: () => document.getElementById('search')?.focus() },
    ...PLACES.map(({ keys, title, to }) => ({
      keys,
      about: `Go to ${title}`,
      run: () => void navigate({ to } as never),
    })),
  ])
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#content">
        Skip to content
      </a>
      <Navigation onHelp={() => setHelpOpen(true)} />
      <header className={styles.bar}>
        <SearchBox />
        <TenantChoice />
        <ConnectionMark />
      </header>
      <main id="content" className={styles.main} tabIndex={-1}>
        <DisconnectedBanner />
        <Contained>
          <Outlet />
        </Contained>
      </main>
      {isHelpOpen ? <ShortcutDialog onClose={() => setHelpOpen(false)} /> : null}
    </div>
  )
}

function useConnection() {
  return useSyncExternalStore(live.subscribe, () => live.connection)
}

const CONNECTIONS = {
  connecting: { tone: 'waiting', text: 'Connecting' },
  live: { tone: 'good', text: 'Live' },
  disconnected: { tone: 'bad', text: 'Disconnected' },
} as const

function ConnectionMark() {
  const { tone, text } = CONNECTIONS[useConnection()]
  return (
    <span className={styles.connection} data-tone={tone} role="status">
      <span className={styles.dot} aria-hidden="true" />
      {text}
    </span>
  )
}

function DisconnectedBanner() {
  if (useConnection() !== 'disconnected') return null
  return (
    <p className={styles.banner} role="alert" data-notice="disconnected">
      <strong>Disconnected.</strong> What is shown may be old. The page tries again by itself and goes on from
      where it was.
    </p>
  )
}
