import { Link } from '@tanstack/react-router'
import styles from './id-link.module.css'
import { type LinkedKind, pathOf } from './record-link.tsx'

interface IdLinkProps {
  readonly kind: LinkedKind
  readonly tenant: string
  readonly id: string
  /** Over several lines where one is not enough, instead of cut off. */
  readonly isWhole?: boolean
}

/** To a record whose tenant is told beside it already. */
export function IdLink({ kind, tenant, id, isWhole = false }: IdLinkProps) {
  return (
    <Link className={isWhole ? styles.whole : styles.id} to={pathOf(kind, tenant, id) as never} title={id}>
      {id}
    </Link>
  )
}
