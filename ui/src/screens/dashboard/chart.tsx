import { useEffect, useRef, useState } from 'react'
import { loadPart } from '../../app/load-part.ts'
import { usePreferences } from '../../app/preferences.ts'
import styles from './activity.module.css'
import type { Drawing, Drawn } from './draw-chart.ts'
import { ensureKnownLanguage } from './known-language.ts'
import { useColorScheme } from './use-color-scheme.ts'

interface ChartProps {
  /** What it shows, in words. */
  readonly label: string
  readonly drawn: Drawn
  readonly onPoint: (moment: number | null) => void
}

/** Whatever changes but the colours and the zone is drawn into the same chart. */
export function Chart({ label, drawn, onPoint }: ChartProps) {
  const host = useRef<HTMLDivElement>(null)
  const drawing = useRef<Drawing | null>(null)
  const latest = useRef({ drawn, onPoint })
  latest.current = { drawn, onPoint }
  const [failed, setFailed] = useState<unknown>(null)
  const scheme = useColorScheme()
  const { zone } = usePreferences()

  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read from the page, which the scheme decides
  useEffect(() => {
    const element = host.current
    if (element === null) return
    let isGone = false
    const resized = new ResizeObserver(() => drawing.current?.resize())
    const draw = async () => {
      ensureKnownLanguage()
      const { drawChart } = await loadPart(() => import('./draw-chart.ts'))
      if (isGone) return
      drawing.current = drawChart({
        element,
        zone,
        current: () => latest.current.drawn,
        onPoint: (moment) => latest.current.onPoint(moment),
      })
      resized.observe(element)
    }
    draw().catch(setFailed)
    return () => {
      isGone = true
      resized.disconnect()
      drawing.current?.destroy()
      drawing.current = null
    }
  }, [scheme, zone])

  // biome-ignore lint/correctness/useExhaustiveDependencies: it is drawn again when it is another
  useEffect(() => drawing.current?.redraw(), [drawn])

  // The panel around it says so.
  if (failed !== null) throw failed
  return <div ref={host} className={styles.chart} role="img" aria-label={label} />
}
