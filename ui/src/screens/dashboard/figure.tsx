import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Tone } from '../../../../src/core/machine.ts'
import type { UrlState } from '../../app/url-state.ts'
import { Contained } from '../../parts/panel.tsx'
import styles from './figure.module.css'
import { Sparkline } from './sparkline.tsx'

export interface FigureTold {
  readonly value: ReactNode
  readonly note: ReactNode
  readonly tone: Tone
  /** Where there is more about it. */
  readonly to: string
  readonly search?: UrlState
}

interface FigureProps<T> {
  readonly title: string
  readonly query: UseQueryResult<T>
  readonly tell: (data: T) => FigureTold
  readonly course?: readonly number[] | undefined
}

/** One number that tells how things are. */
export function Figure<T>(props: FigureProps<T>) {
  return (
    <Contained>
      <FigureItself {...props} />
    </Contained>
  )
}

function FigureItself<T>({ title, query: { data, error }, tell, course }: FigureProps<T>) {
  if (data === undefined) {
    return (
      <div className={styles.figure} data-tone="waiting">
        <span className={styles.title}>{title}</span>
        <span className={styles.value}>{error === null ? '…' : '–'}</span>
        <span className={styles.note}>{error === null ? 'Loading' : error.message}</span>
      </div>
    )
  }
  const { value, note, tone, to, search } = tell(data)
  return (
    <Link className={styles.figure} data-tone={tone} to={to} search={search ?? {}}>
      <span className={styles.title}>{title}</span>
      <span className={styles.value}>{value}</span>
      <span className={styles.note}>{note}</span>
      {course === undefined ? null : <Sparkline values={course} />}
    </Link>
  )
}
