import type { JobRecord } from '../core/job/record.ts'
import { TOOL } from '../core/job/tool-service.ts'
import { isJsonObject, type Json } from '../core/json.ts'
import { isTerminal, statesOf } from '../core/machine.ts'
import { jobMachine } from '../core/machines/job.ts'
import type { Ledger } from '../ledger/ledger.ts'

/** Jobs that are looked at, the newest first. */
const MOST_LOOKED_AT = 20_000

const PAGE = 500
const ENDED = statesOf(jobMachine).filter((state) => isTerminal(jobMachine, state))

interface Looking {
  /** `*` for all of them; the ledger's own unless given. */
  readonly tenant_id?: string | undefined
  /** Called when there are more jobs than were looked at. */
  readonly onMore?: (() => void) | undefined
}

/** Tool jobs that have ended, those that changed last first. */
export async function* endedToolJobs(
  ledger: Ledger,
  { tenant_id, onMore }: Looking = {},
): AsyncGenerator<JobRecord> {
  let after: string | undefined
  let seen = 0
  do {
    const page = await ledger.jobs.list({
      tenant_id,
      state: ENDED,
      order: 'changed',
      direction: 'desc',
      limit: PAGE,
      after,
    })
    yield* page.items.filter(({ request_type }) => request_type.startsWith(TOOL))
    seen += page.items.length
    after = page.next ?? undefined
  } while (after !== undefined && seen < MOST_LOOKED_AT)
  if (after !== undefined) onMore?.()
}

/** Whoever commits what somebody else wrote has not changed it. */
export function isCommit({ metadata }: JobRecord): boolean {
  return isJsonObject(metadata.git) && metadata.git.operation === 'commit'
}

export function touchedFilesOf({ metadata: { touched_files } }: JobRecord): readonly string[] {
  return Array.isArray(touched_files) ? touched_files.filter((one) => typeof one === 'string') : []
}

export function repoRootOf({ payload }: JobRecord): string | null {
  const paths = isJsonObject(payload) ? payload.paths : undefined
  return isJsonObject(paths) ? textOf(paths.repo_root) : null
}

export function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}
