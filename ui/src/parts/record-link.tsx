// Links to records. An id may have anything in it and is shown as text; the tenant is part of the address.
import { Link } from '@tanstack/react-router'
import { usePage } from '../app/context.ts'
import { CopyId } from './copy-id.tsx'
import styles from './record-link.module.css'

const PATHS = { job: '/jobs', document: '/documents', run: '/runs', workstream: '/workstreams' } as const

export type LinkedKind = keyof typeof PATHS

interface RecordLinkProps {
  readonly kind: LinkedKind
  readonly tenant: string
  readonly id: string
  /** Without the button that copies the id, where there is little room. */
  readonly isPlain?: boolean
  /** Without the tenant, beside something else that has it. */
  readonly isSameTenant?: boolean
}

export function RecordLink({ kind, tenant, id, isPlain = false, isSameTenant = false }: RecordLinkProps) {
  const page = usePage()
  return (
    <span className={styles.record}>
      {page.tenant === '*' && !isSameTenant ? <span className={styles.tenant}>{tenant}</span> : null}
      <Link className={styles.id} to={`${PATHS[kind]}/$tenant/$id`} params={{ tenant, id }} title={id}>
        {id}
      </Link>
      {isPlain ? null : <CopyId id={id} />}
    </span>
  )
}

export function pathOf(kind: LinkedKind, tenant: string, id: string): string {
  return `${PATHS[kind]}/${encodeURIComponent(tenant)}/${encodeURIComponent(id)}`
}
