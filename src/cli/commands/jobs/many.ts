// Commands that take ids of jobs, or a filter in their place. What a filter means is told first, and done only when it was
// said how many it may be.
import { Option } from 'commander'
import { InvalidInput } from '../../../errors/input-errors.ts'
import type { JobFilter, ManyReport, MatchCount } from '../../../ledger/many-jobs.ts'
import type { OnProgress } from '../../../store/progress.ts'
import {
  type JobFilterOptions,
  jobFilterOf,
  jobFilterOptions,
  jobStateOption,
  jobTypeOption,
} from '../../options/job-filter.ts'
import { wholeNumber } from '../../options/numbers.ts'
import { safeText } from '../../output/safe-text.ts'
import { countOf, countText } from '../../output/words.ts'
import type { Session } from '../../session.ts'

export interface ManyJobsOptions extends JobFilterOptions {
  readonly expect?: number
  readonly yes?: boolean
}

export function manyOptions(): readonly Option[] {
  return [
    jobStateOption(),
    jobTypeOption(),
    ...jobFilterOptions(),
    new Option('--expect <n>', 'do it to all that match, unless they are more than this').argParser((text) =>
      wholeNumber('expect', text, 0),
    ),
    new Option('--yes', 'do it to all that match, however many').conflicts('expect'),
  ]
}

/** The filter, when there is one in the place of ids; null when there are ids. */
export function filterInstead(ids: readonly string[], options: ManyJobsOptions): JobFilter | null {
  const filter = jobFilterOf(options)
  const isFiltered = Object.values(filter).some((given) => given !== undefined)
  if (isFiltered && ids.length > 0) {
    throw new InvalidInput('id', 'Jobs are named by id, and by a filter as well', 'Leave out one of both.')
  }
  if (isFiltered) return filter
  if (options.yes === true || options.expect !== undefined || ids.length === 0) {
    const next = 'Give ids, or a filter such as --state, --type, --run or --since.'
    throw new InvalidInput(
      'id',
      ids.length === 0 ? 'No job is named' : '--yes and --expect are for filters',
      next,
    )
  }
  return null
}

export interface Doing {
  /** What is done to them, as `cancelled`. */
  readonly done: string
  count(): Promise<MatchCount>
  all(options: { readonly expect: number; readonly onProgress: OnProgress }): Promise<ManyReport>
}

const USAGE = 2
const CONFLICT = 4

export async function doToMany(session: Session, options: ManyJobsOptions, doing: Doing): Promise<void> {
  const expect = options.expect ?? (await agreedCount(session, options, doing))
  if (expect === null) return
  const report = await session.withProgress((onProgress) => doing.all({ expect, onProgress }))
  if (session.isJson) await session.json(report)
  else await session.out.line(`${countOf(report.done, 'job')} ${doing.done}${restText(report)}`)
  for (const { job_id, code, message } of report.failed) {
    await session.notes.warn(`${safeText(job_id)}: ${code}: ${message}`, { job_id, code })
  }
  if (report.failed_count > 0) session.found(CONFLICT)
}

function restText({ unchanged, failed_count }: ManyReport): string {
  const left = unchanged > 0 ? `, ${countText(unchanged)} left as they were` : ''
  return failed_count > 0 ? `${left}, ${countText(failed_count)} refused` : left
}

/** How many it may be, if somebody has agreed to that; else how many it would be is told. */
async function agreedCount(session: Session, { yes }: ManyJobsOptions, doing: Doing): Promise<number | null> {
  const { count, is_more } = await doing.count()
  if (yes === true || (count === 0 && !is_more)) return count
  if (session.isJson) await session.json({ count, is_more })
  const many = `${is_more ? 'More than ' : ''}${countOf(count, 'job')}`
  await session.notes.error({
    message: `${many} would be ${doing.done}; nothing was done`,
    next: is_more
      ? 'Narrow the filter, with --since or --until say, and do it in several goes.'
      : `Repeat it with --yes, or with --expect ${count} to be sure that no others have come.`,
  })
  session.found(USAGE)
  return null
}
