import { Link } from '@tanstack/react-router'
import type { RadarRow } from '../../../../src/core/radar/radar.ts'
import { usePage } from '../../app/context.ts'
import { many } from '../../format/numbers.ts'
import styles from './matrix-grid.module.css'

/** What the row is of: leads to the workstream, or to the jobs of the pipeline. */
export function RowName({ row }: { readonly row: RadarRow }) {
  const { tenant_id, row: name, filter, open } = row
  const isEverybody = usePage().tenant === '*'
  const { workstream_id } = filter
  return (
    <div role="rowheader" className={styles.name}>
      {workstream_id === undefined ? (
        <Link to="/jobs" search={{ ...filter, tenant: tenant_id }} title={`Jobs of ${name}`}>
          {name}
        </Link>
      ) : (
        <Link to="/workstreams/$tenant/$id" params={{ tenant: tenant_id, id: workstream_id }} title={name}>
          {name}
        </Link>
      )}
      <span className={styles.about}>
        {isEverybody ? `${tenant_id} · ` : ''}
        {open === 0 ? 'nothing open' : many(open, 'job')}
      </span>
    </div>
  )
}
