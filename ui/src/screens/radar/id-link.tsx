import { Link } from '@tanstack/react-router'
import { type LinkedKind, pathOf } from '../../parts/record-link.tsx'
import styles from './inspector.module.css'

interface IdLinkProps {
  readonly kind: LinkedKind
  readonly tenant: string
  readonly id: string
}

/** To a record whose tenant is told beside it already. */
export function IdLink({ kind, tenant, id }: IdLinkProps) {
  return (
    <Link className={styles.id} to={pathOf(kind, tenant, id) as never} title={id}>
      {id}
    </Link>
  )
}
