import { queryOptions } from '@tanstack/react-query'
import type { FileChange } from '../../../src/orchestrator/provenance.ts'
import type { TouchedFiles } from '../../../src/orchestrator/touched-files.ts'
import { ask } from './client.ts'

/** As many as the server tells at once. */
const MOST_FILES = 1000

export function filesQuery(tenant: string, q: string | undefined) {
  return queryOptions({
    queryKey: ['files', tenant, q ?? ''],
    queryFn: ({ signal }) =>
      ask<TouchedFiles>('/v1/files', { signal, query: { tenant_id: tenant, q, limit: MOST_FILES } }),
    meta: { topics: ['job'] },
  })
}

export interface WhichFile {
  readonly file: string
  readonly tenant: string
  readonly repo_root: string | undefined
}

export function lastChangeQuery({ file, tenant, repo_root }: WhichFile) {
  return queryOptions({
    queryKey: ['files', 'last', tenant, repo_root ?? '', file],
    queryFn: ({ signal }) =>
      ask<FileChange>('/v1/files/last', { signal, query: { tenant_id: tenant, file, repo_root } }),
    meta: { topics: ['job'] },
  })
}
