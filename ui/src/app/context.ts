import { createContext, useContext } from 'react'
import type { Live } from '../api/live.ts'
import type { Machines } from '../api/machines.ts'
import type { Permission, Session } from '../api/session.ts'

/** What every screen may rely on: it is there before any of them is shown. */
export interface Page {
  readonly session: Session
  readonly machines: Machines
  readonly live: Live
  /** Whose records are shown; `*` for those of everybody. */
  readonly tenant: string
}

export const PageContext = createContext<Page | null>(null)

export function usePage(): Page {
  const page = useContext(PageContext)
  if (page === null) throw new Error('usePage outside of the page')
  return page
}

/** Whether the reader may do this, and what to say if not. */
export function useMay(permission: Permission): {
  readonly allowed: boolean
  readonly whyNot: string | null
} {
  const { session } = usePage()
  const allowed = session.may.includes(permission)
  return {
    allowed,
    whyNot: allowed ? null : `The role ${session.role} may only look. Ask for a link with another role.`,
  }
}
