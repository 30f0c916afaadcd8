import { gathered, sparklinePoints } from './sparkline-path.ts'

const SIZE = { width: 120, height: 24 }
const MOST_POINTS = 30

/** Says nothing that is not said beside it. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const points = sparklinePoints(gathered(values, MOST_POINTS), SIZE)
  const { width, height } = SIZE
  return (
    <svg viewBox={`0 -1 ${width} ${height + 2}`} preserveAspectRatio="none" aria-hidden="true">
      <polygon points={`0,${height} ${points} ${width},${height}`} fill="var(--tone-soft)" />
      <polyline
        points={points}
        fill="none"
        stroke="var(--tone)"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}
