import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Radar, RadarBy, RadarRow } from '../../../../src/core/radar/radar.ts'
import { radarQuery } from '../../api/radar.ts'
import { usePage } from '../../app/context.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { type UrlState, useUrlState } from '../../app/url-state.ts'
import { Answer } from '../../parts/answer.tsx'
import { ChoiceFilter, Filters } from '../../parts/filters.tsx'
import { Notice } from '../../parts/notice.tsx'
import { cellInUrl, NO_PLACE, placeInUrl } from '../../shapes/radar-place.ts'
import { Inspector } from './inspector.tsx'
import { Legend } from './legend.tsx'
import { MatrixGrid } from './matrix-grid.tsx'
import styles from './radar.module.css'

const HOURS = [
  { value: '24', title: 'The last 24 hours' },
  { value: '1', title: 'The last hour' },
  { value: '6', title: 'The last 6 hours' },
  { value: '168', title: 'The last 7 days' },
]

export function RadarTab({ by }: { readonly by: RadarBy }) {
  const { tenant } = usePage()
  const [url] = useUrlState()
  const hours = hoursIn(url)
  const radar = useQuery({ ...radarQuery(tenant, by, hours), placeholderData: keepPreviousData })
  return (
    <div className={styles.tab}>
      <div className={styles.bar}>
        <Filters>
          <ChoiceFilter name="hours" label="Failures of" choices={HOURS} />
        </Filters>
        <Legend />
      </div>
      <Answer query={radar} instead={(data) => (data.rows.length === 0 ? <NothingYet by={by} /> : null)}>
        {(data) => <Shown radar={data} hours={hours} />}
      </Answer>
    </div>
  )
}

function hoursIn({ hours }: UrlState): number {
  const found = HOURS.find(({ value }) => value === hours)
  return Number(found?.value ?? HOURS[0]?.value)
}

function Shown({ radar, hours }: { readonly radar: Radar; readonly hours: number }) {
  const [url, setUrl] = useUrlState()
  const chosen = cellInUrl(radar.rows, url)
  const close = () => {
    // Back to where it was opened from.
    document.querySelector<HTMLElement>('[data-place][aria-pressed="true"]')?.focus()
    setUrl(NO_PLACE)
  }
  useShortcuts('Radar', [{ keys: 'Escape', about: 'Close the inspector', run: close }])
  const choose = (row: RadarRow, stage: string) => setUrl(placeInUrl(row, stage))
  return (
    <div className={styles.split} data-open={chosen !== undefined}>
      <div className={styles.matrix}>
        {radar.is_more ? (
          <p className={styles.more} role="note">
            There are more jobs than one look takes in: the numbers are of a part of them.
          </p>
        ) : null}
        {chosen === undefined && namesCell(url, radar.by) ? (
          <p className={styles.more} role="note">
            Nothing is known any more of the stage {url.stage} that this link is about.
          </p>
        ) : null}
        <MatrixGrid
          radar={radar}
          chosen={chosen === undefined ? null : { row: chosen.row, stage: chosen.cell.stage }}
          onChoose={choose}
        />
      </div>
      {chosen === undefined ? null : (
        <Inspector
          key={JSON.stringify([chosen.row.tenant_id, chosen.row.filter, chosen.cell.stage])}
          row={chosen.row}
          cell={chosen.cell}
          hours={hours}
          onClose={close}
        />
      )}
    </div>
  )
}

/** Whether the URL means a cell of this tab. */
function namesCell({ stage, workstream_id, pipeline_name, protocol_id }: UrlState, by: RadarBy): boolean {
  const row = by === 'workstream' ? workstream_id : (pipeline_name ?? protocol_id)
  return stage !== undefined && row !== undefined
}

function NothingYet({ by }: { readonly by: RadarBy }) {
  return by === 'pipeline' ? (
    <Notice kind="empty" title="No job is under way, and none has ended lately">
      As soon as somebody submits one, the stages that it goes through are shown here.
    </Notice>
  ) : (
    <Notice kind="empty" title="No workstream has jobs">
      A job that names a workstream when it is submitted is shown here, at the stage where it stands.
    </Notice>
  )
}
