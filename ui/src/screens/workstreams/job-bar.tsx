import type { BoardCard } from '../../../../src/core/group/board.ts'
import { jobsInWords } from './board-moves.ts'
import styles from './card.module.css'

const PARTS = [
  ['succeeded', 'good'],
  ['open', 'busy'],
  ['failed', 'bad'],
  ['cancelled', 'stopped'],
] as const

/** How far its jobs are. */
export function JobBar({ jobs }: { readonly jobs: BoardCard['jobs'] }) {
  return (
    <div className={styles.bar} role="img" aria-label={`Jobs: ${jobsInWords(jobs)}`}>
      {PARTS.map(([name, tone]) =>
        jobs[name] === 0 ? null : <span key={name} data-tone={tone} style={{ flexGrow: jobs[name] }} />,
      )}
    </div>
  )
}
